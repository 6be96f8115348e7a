package repair

import (
	"github.com/memend/memend/versions/db"
)

// versions restores what lost versions did, as far as other rows show it, and marks the versions of
// which nothing is known.
func (m *rebuild) versions() error {
	if err := m.all(
		`UPDATE version SET redacted=NULL, redacted_by=NULL WHERE redacted IN (0,1)`, // one damaged bit can produce these values from NULL
		`UPDATE version SET path=NULL, origin=NULL, blob=NULL WHERE redacted IS NOT NULL`,
		`UPDATE version SET op='deleted' WHERE op='' AND path IS NOT NULL AND blob IS NULL`,
		`UPDATE version SET origin=(SELECT w.path FROM version w WHERE w.memory=version.memory AND w.number=version.number-1 AND w.op<>'deleted' AND w.path<>version.path) WHERE op=''`,
		`UPDATE version SET op=iif(number=1 OR (SELECT op FROM version w WHERE w.memory=version.memory AND w.number=version.number-1)='deleted','created','modified') WHERE op=''`,
	); err != nil {
		return err
	}
	if err := m.missingVersions(); err != nil {
		return err
	}
	m.Exec(`UPDATE version SET redacted=?, redacted_by=(SELECT id FROM actor WHERE kind='damage' AND name=''), blob=NULL, origin=NULL
		WHERE path IS NULL AND redacted IS NULL`, m.now)
	return m.Err()
}

// missingVersions marks the versions that are missing from the numbers of a memory, when some
// change can have made them.
func (m *rebuild) missingVersions() error {
	ids, err := db.Values[int64](m.Rows(`SELECT id FROM version`))
	if err != nil {
		return err
	}
	used := db.RowSet{}
	for _, id := range ids {
		used.Add(id)
	}
	memories, err := db.Values[int64](m.Rows(`SELECT memory FROM version GROUP BY memory HAVING min(number)<>1 OR max(number)<>count(*)`))
	if err != nil {
		return err
	}
	var all []gap
	for _, memory := range memories {
		rows, err := m.numbered(`SELECT id,number,0 FROM version WHERE memory=? ORDER BY id`, memory)
		if err != nil {
			return err
		}
		_, open := gaps(memory, rows, 0, 0)
		all = append(all, open...)
	}
	return assign(all, used, func(memory, id int64) error {
		// renumber sets the final number. Until then the row has a number that no other row has.
		m.Exec(`INSERT INTO version(id,uid,memory,number,change,op)
			SELECT ?1,randomblob(15),?2,-?1,c.id,iif(EXISTS(SELECT 1 FROM version WHERE memory=?2 AND id<?1),'modified','created')
			FROM change c WHERE c.store=(SELECT store FROM memory WHERE id=?2)
				AND c.id>coalesce((SELECT max(change) FROM version WHERE memory=?2 AND id<?1),0) AND c.id<(SELECT min(change) FROM version WHERE memory=?2 AND id>?1)
				AND (c.kind='lost' OR c.versions>(SELECT count(*) FROM version WHERE change=c.id))
			ORDER BY c.kind='lost', c.id LIMIT 1`, id, memory)
		return m.Err()
	})
}
