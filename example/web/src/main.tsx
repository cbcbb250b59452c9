/** The page: a list of categories with filters, and a form for one of them. */
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api.ts'
import { CategoryForm } from './category-form.tsx'
import { CategoryList, EVERYTHING } from './category-list.tsx'
import './style.css'

function App () {
  const [search, setSearch] = useState(EVERYTHING)
  const [edited, edit] = useState<string>()
  return (
    <main>
      <h1>Categories</h1>
      {edited === undefined
        ? <CategoryList search={search} onSearch={setSearch} onEdit={edit} />
        : <CategoryForm id={edited} onClose={() => edit(undefined)} />}
    </main>
  )
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>
)
