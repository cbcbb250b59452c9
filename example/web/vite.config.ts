import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // `npm start` of the example is the API; a page that is served elsewhere sets VITE_API_URL when it is built
  server: { proxy: { '/categories': process.env['API_URL'] ?? 'http://127.0.0.1:3000' } },
})
