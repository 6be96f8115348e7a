package repair

import "github.com/memend/memend/versions/db"

// Tx is a transaction that writes.
type Tx interface {
	db.Queryer
	Exec(query string, args ...any)
	Err() error // the first error of Exec
}

// renumber corrects the numbers of a store that are out of order.
func renumber(x Tx, store int64) error {
	for _, text := range []string{
		`UPDATE change SET number=-n FROM (SELECT id AS i, row_number() OVER (ORDER BY id) AS n FROM change WHERE store=?1) WHERE id=i AND number IS NOT n`,
		`UPDATE change SET number=-number WHERE store=?1 AND number<0`, // no two rows ever have the same number
		`UPDATE store SET changes=(SELECT count(*) FROM change WHERE store=?1) WHERE id=?1`,
		`UPDATE version SET number=-n FROM (SELECT v.id AS i, row_number() OVER (PARTITION BY v.memory ORDER BY v.id) AS n
			FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?1) WHERE id=i AND number IS NOT n`,
		`UPDATE version SET number=-number WHERE number<0 AND memory IN (SELECT id FROM memory WHERE store=?1)`,
	} {
		x.Exec(text, store)
	}
	return retime(x, store)
}

// changeTime holds the two times of a change: ts never decreases from one change to the next, and
// wall is what the clock showed.
type changeTime struct{ id, ts, wall int64 }

// retime corrects the times of a store that are out of order.
func retime(x Tx, store int64) error {
	times, err := timesOf(x, store)
	if err != nil {
		return err
	}
	last := int64(-1 << 63)
	for i, c := range times {
		if i > 0 && c.ts <= last || i+1 < len(times) && c.ts >= times[i+1].ts {
			should := max(c.wall, last+1) // the same rule as for a new change
			if should != c.ts {
				x.Exec(`UPDATE change SET ts=? WHERE id=?`, should, c.id)
			}
			c.ts = should
		}
		last = c.ts
	}
	return nil
}

func timesOf(x db.Queryer, store int64) (out []changeTime, err error) {
	var c changeTime
	return db.All(x.Rows(`SELECT id,ts,wall FROM change WHERE store=? ORDER BY id`, store), &c, &c.id, &c.ts, &c.wall)
}
