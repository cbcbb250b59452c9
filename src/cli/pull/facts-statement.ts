/**
 * The statement that reads a database's tables, views and types from its catalogue, as the JSON of one column. Names of
 * other schemas than pg_catalog are qualified.
 */
export const FACTS_STATEMENT = `with recursive relations as (
  select c.oid, n.nspname, c.relname, c.relkind, c.relispartition,
    has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select') as readable
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and not exists (
      select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
    )
), types(id) as (
  select a.atttypid from relations r join pg_attribute a on a.attrelid = r.oid where a.attnum > 0
  union
  select case when t.typtype = 'd' then t.typbasetype else t.typelem end
  from types join pg_type t on t.oid = types.id
  where t.typtype = 'd' or (t.typcategory = 'A' and t.typelem <> 0)
)
select json_build_object(
  'types', (select json_object_agg(t.oid, json_build_object(
    'name', format_type(t.oid, null),
    'kind', t.typtype,
    'base', t.typbasetype::int8,
    'declared', format_type(t.typbasetype, t.typtypmod),
    'notNull', t.typnotnull,
    'element', case when t.typcategory = 'A' then t.typelem::int8 else 0 end,
    'labels', array(select e.enumlabel from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder),
    'checks', array(
      select pg_get_constraintdef(k.oid) from pg_constraint k where k.contypid = t.oid and k.contype = 'c'
    )
  )) from types join pg_type t on t.oid = types.id),
  'relations', (select json_agg(json_build_object(
    'oid', r.oid::int8,
    'query', (
      select w.ev_action::text from pg_rewrite w
      where r.relkind in ('v', 'm') and w.ev_class = r.oid and w.rulename = '_RETURN'
    ),
    'mirrors', r.relkind = 'v' and pg_relation_is_updatable(r.oid, false) <> 0 and not exists (
      select 1 from pg_rewrite w where w.ev_class = r.oid and w.ev_type <> '1'
    ),
    'schema', r.nspname,
    'name', r.relname,
    'kind', r.relkind,
    'partition', r.relispartition,
    'readable', r.readable,
    'comment', obj_description(r.oid, 'pg_class'),
    'columns', (select coalesce(json_agg(json_build_object(
      'number', a.attnum,
      'name', a.attname,
      'declared', format_type(a.atttypid, a.atttypmod),
      'type', a.atttypid::int8,
      'nullable', not a.attnotnull,
      'readable', has_column_privilege(r.oid, a.attnum, 'select'),
      'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
      'counts', a.attidentity <> '' or (
        a.atthasdef and a.attgenerated = '' and pg_get_expr(d.adbin, d.adrelid) ~ '^nextval\\('
      ),
      'computed', false,
      'generated', case when a.attgenerated <> '' then json_build_object(
        'expression', pg_get_expr(d.adbin, d.adrelid), 'stored', a.attgenerated = 's'
      ) end,
      'comment', col_description(r.oid, a.attnum)
    ) order by a.attnum), '[]')
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped),
    'primaryKey', array(
      select a.attname::text from pg_constraint k cross join unnest(k.conkey) with ordinality as part(number, place)
      join pg_attribute a on a.attrelid = r.oid and a.attnum = part.number
      where k.conrelid = r.oid and k.contype = 'p' order by place
    ),
    'indexes', (select coalesce(json_agg(json_build_object(
      'name', x.relname,
      'method', m.amname,
      'unique', i.indisunique,
      'exclusion', (
        select pg_get_constraintdef(k.oid) from pg_constraint k where k.conindid = x.oid and k.contype = 'x'
      ),
      'primary', i.indisprimary,
      'partial', i.indpred is not null,
      'definition', pg_get_indexdef(i.indexrelid),
      'columns', (
        select json_agg(a.attname::text order by k) from generate_series(0, i.indnkeyatts - 1) as k
        left join pg_attribute a on a.attrelid = r.oid and a.attnum = i.indkey[k]
      ),
      'classes', (
        select json_agg(o.opcname::text order by k) from generate_series(0, i.indnkeyatts - 1) as k
        join pg_opclass o on o.oid = i.indclass[k]
      )
    ) order by x.relname), '[]')
    from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
    where i.indrelid = r.oid and i.indisvalid),
    'foreignKeys', (select coalesce(json_agg(json_build_object(
      'columns', array(
        select a.attname::text from unnest(k.conkey) with ordinality as part(number, place)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = part.number order by place
      ),
      'target', (
        select json_build_object('schema', n.nspname, 'name', c.relname)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = k.confrelid
      ),
      'targetColumns', array(
        select a.attname::text from unnest(k.confkey) with ordinality as part(number, place)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = part.number order by place
      ),
      'onDelete', k.confdeltype,
      'onUpdate', k.confupdtype
    ) order by k.conkey, k.conname), '[]')
    from pg_constraint k where k.conrelid = r.oid and k.contype = 'f' and k.conparentid = 0),
    'checks', (select coalesce(json_agg(json_build_object(
      'name', k.conname,
      'columns', array(
        select a.attname::text from pg_attribute a where a.attrelid = r.oid and a.attnum = any(k.conkey)
        order by a.attnum
      ),
      'expression', pg_get_expr(k.conbin, k.conrelid)
    ) order by k.conname), '[]')
    from pg_constraint k where k.conrelid = r.oid and k.contype = 'c'),
    'accepts', array(
      select change from (values ('insert', 8, '3'), ('update', 4, '2'), ('delete', 16, '4')) as e(change, bit, event)
      where r.readable and pg_relation_is_updatable(r.oid, true) & bit <> 0
        and (has_table_privilege(r.oid, change) or (
          change <> 'delete' and has_any_column_privilege(r.oid, change)
        ))
        and (
          not exists (
            select 1 from pg_rewrite w where w.ev_class = r.oid and w.ev_type::text = event and w.is_instead
          ) or exists (
            select 1 from pg_rewrite w
            join pg_rules u on u.rulename = w.rulename and u.tablename = r.relname and u.schemaname = r.nspname
            where w.ev_class = r.oid and w.ev_type::text = event and u.definition ~* '\\yreturning\\y'
          )
        )
    )
  ) order by r.nspname, r.relname) from relations r)
)::text as facts`
