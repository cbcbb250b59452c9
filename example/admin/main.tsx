/** A react-admin application for the categories and products of the example. */
import { QueryClient } from '@tanstack/react-query'
import {
  Admin,
  AutocompleteInput,
  Create,
  DataTable,
  Edit,
  List,
  NumberField,
  NumberInput,
  ReferenceField,
  ReferenceInput,
  ReferenceManyField,
  Resource,
  SearchInput,
  SelectInput,
  SimpleForm,
  TextInput,
} from 'react-admin'
import { createRoot } from 'react-dom/client'
// in an application: 'fastify-crud-kit/react-admin', '/client' and '/tanstack-query'
import { createDataProvider } from '../../src/admin/react-admin/index.ts'
import { createClient, type ApiOf } from '../../src/client/index.ts'
import { retry } from '../../src/client/tanstack-query.ts'
// only a type: no code of the server gets into the page
import type { resources } from '../resources/index.ts'

// the example's role for this page; an application sends a token
const headers = { 'x-role': 'admin' }
const api = createClient<ApiOf<typeof resources>>(import.meta.env['VITE_API_URL'] ?? '', { headers })
// categories have random keys and no sort by them
const dataProvider = createDataProvider(api, {
  resources: { categories: { sortById: false, operations: ['updateMany'] } },
})
const queryClient = new QueryClient({ defaultOptions: { queries: { retry } } })

const STATUSES = ['draft', 'active', 'archived']

const CategoryList = () => (
  <List
    filters={[<SearchInput key='q' source='q' alwaysOn />, <NumberInput key='price' source='price_gte' alwaysOn />]}
  >
    <DataTable>
      <DataTable.Col source='name' />
      <DataTable.NumberCol source='price' />
      <DataTable.Col source='status' />
    </DataTable>
  </List>
)

const CategoryEdit = () => (
  <Edit mutationMode='pessimistic'>
    <SimpleForm>
      <TextInput source='name' />
      <NumberInput source='price' />
      <SelectInput source='status' choices={STATUSES} />
      <ReferenceManyField reference='products' target='category'>
        <DataTable>
          <DataTable.Col source='name' />
        </DataTable>
      </ReferenceManyField>
    </SimpleForm>
  </Edit>
)

const ProductList = () => (
  <List sort={{ field: 'name', order: 'ASC' }} filters={[<SearchInput key='q' source='q' alwaysOn />]}>
    <DataTable>
      <DataTable.Col source='name' />
      <DataTable.NumberCol source='price' />
      <DataTable.Col label='Category' source='category.name'>
        <ReferenceField source='category' reference='categories' />
      </DataTable.Col>
      <DataTable.Col source='stock' field={NumberField} />
    </DataTable>
  </List>
)

const ProductCreate = () => (
  <Create redirect='list'>
    <SimpleForm>
      <TextInput source='name' />
      <NumberInput source='price' />
      <NumberInput source='stock' />
      <ReferenceInput source='category' reference='categories'>
        <AutocompleteInput />
      </ReferenceInput>
    </SimpleForm>
  </Create>
)

createRoot(document.getElementById('root')!).render(
  <Admin dataProvider={dataProvider} queryClient={queryClient} disableTelemetry>
    <Resource name='categories' list={CategoryList} edit={CategoryEdit} recordRepresentation='name' />
    <Resource name='products' list={ProductList} create={ProductCreate} recordRepresentation='name' />
  </Admin>
)
