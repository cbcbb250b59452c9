/** Whether the page is as narrow as that of a phone. */
import { useEffect, useState } from 'preact/hooks'

/** `styles/phone.css` has the same width. */
const query = matchMedia('(max-width: 760px)')

/** Returns true where a table has no room: records are cards, a record is a page, and panels cover the page. */
export function usePhone (): boolean {
  const [isPhone, setPhone] = useState(query.matches)
  useEffect(() => {
    const update = (): void => setPhone(query.matches)
    query.addEventListener('change', update)
    // effects run after the first frame, and the width may have changed since
    update()
    return () => query.removeEventListener('change', update)
  }, [])
  return isPhone
}
