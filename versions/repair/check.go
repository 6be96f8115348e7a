package repair

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/journal"
)

// Problems verifies every invariant of the rows of a store, and returns the problems it finds and
// where the log ends. If since is not nil, the history up to there must be the same.
// It reads every content once. What holds for all stores is verified by Damage.
func Problems(q db.Queryer, store int64, since *versions.LogHead) ([]string, versions.LogHead, error) {
	c := &checker{q: q, store: store, since: since}
	for _, look := range []func() error{c.numbers, c.log, c.contents} {
		if err := look(); err != nil {
			return c.problems, c.head, err
		}
	}
	return c.problems, c.head, nil
}

type checker struct {
	q        db.Queryer
	store    int64
	since    *versions.LogHead
	head     versions.LogHead
	problems []string
}

func (c *checker) say(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// none records a problem for each row that the query returns. The query selects rows that must not
// exist: the uid of a memory or a version, the path of a head, or any text.
func (c *checker) none(format, query string, args ...any) error {
	var what []byte
	rows := c.q.Rows(query, args...)
	for range rows.Each(&what) {
		name := string(what)
		switch object, _, _ := strings.Cut(format, " "); object {
		case "memory":
			name = ids.Format(ids.MemoryPrefix, what)
		case "version":
			name = ids.Format(ids.VersionPrefix, what)
		case "head":
			name = "/memories/" + name
		}
		c.say(format, name)
	}
	return rows.Err()
}

// Damage verifies the database itself, with all stores in it, and returns the problems it finds.
func Damage(q db.Queryer, schema db.Schema) (problems []string, err error) {
	say := func(what any) { problems = append(problems, fmt.Sprintf("database: %v", what)) }
	if _, err := schema.Format(q); errors.Is(err, versions.ErrDamaged) {
		say(err)
	} else if err != nil {
		return problems, err
	}
	var found string
	rows := q.Rows(`PRAGMA integrity_check(20)`)
	for range rows.Each(&found) {
		if found != "ok" {
			say(db.Problem(found))
		}
	}
	if err := rows.Err(); err != nil {
		return problems, err
	}
	what, err := db.Mistyped(q)
	for _, problem := range what {
		say(problem)
	}
	return problems, err
}

func (c *checker) numbers() error {
	id := c.store
	for _, q := range []struct {
		format, query string
		args          []any
	}{
		{"change %s: not completed", `SELECT number FROM change WHERE store=? AND id IN (SELECT change FROM intent WHERE carried=0)`, []any{id}},
		{"change numbers have gaps: %s", `SELECT s.changes||' changes, '||count(c.id)||' rows, numbered '||coalesce(min(c.number),1)||' to '||coalesce(max(c.number),0) FROM store s LEFT JOIN change c ON c.store=s.id
			WHERE s.id=? GROUP BY s.id HAVING s.changes<>count(c.id) OR coalesce(max(c.number),0)<>s.changes OR coalesce(min(c.number),1)<>1`, []any{id}},
		{"change %s: its number of versions is wrong", `SELECT number FROM change c WHERE store=? AND versions<>(SELECT count(*) FROM version WHERE change=c.id)`, []any{id}},
		{"change %s: not later than the previous change", `SELECT b.number FROM change a JOIN change b ON b.store=a.store AND b.number=a.number+1 WHERE a.store=? AND b.ts<=a.ts`, []any{id}},
		{"memory %s: version numbers have gaps", `SELECT m.uid FROM memory m JOIN version v ON v.memory=m.id WHERE m.store=? GROUP BY m.id HAVING min(v.number)<>1 OR max(v.number)<>count(*)`, []any{id}},
		{"memory %s: has no version", `SELECT uid FROM memory m WHERE store=? AND NOT EXISTS(SELECT 1 FROM version WHERE memory=m.id)`, []any{id}},
		{"version %s: its content is missing, or present for a deletion", `SELECT v.uid FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.redacted IS NULL AND (v.blob IS NULL)<>(v.op='deleted')`, []any{id}},
		{"version %s: redacted, but its content or path remains", `SELECT v.uid FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.redacted IS NOT NULL AND (v.blob IS NOT NULL OR v.path IS NOT NULL OR v.origin IS NOT NULL)`, []any{id}},
		{"version %s: its path is missing", `SELECT v.uid FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.redacted IS NULL AND v.path IS NULL`, []any{id}},
		{"head %s: its version is redacted", `SELECT h.path FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND v.redacted IS NOT NULL`, []any{id}},
		{"redaction %s: not finished: another process reads the trail, or its disk can't be written", `SELECT id FROM redaction WHERE store=? AND pending>0`, []any{id}},
		{"redaction %s: not finished: the store's service has not erased its versions yet", `SELECT id FROM redaction WHERE store=? AND pending<0`, []any{id}},
		{"memory %s: its head is not its newest version", `SELECT m.uid FROM memory m JOIN version v ON v.memory=m.id AND v.number=(SELECT max(number) FROM version WHERE memory=m.id) LEFT JOIN head h ON h.memory=m.id
			WHERE m.store=? AND (CASE WHEN v.op='deleted' OR v.redacted IS NOT NULL THEN h.version IS NOT NULL ELSE h.version IS NULL OR h.version<>v.id OR h.path<>v.path END)`, []any{id}},
		{"head %s: its hash differs from that of its version", `SELECT h.path FROM head h JOIN version v ON v.id=h.version JOIN blob b ON b.id=v.blob WHERE h.store=? AND (b.sha<>substr(h.sha,1,length(b.sha)) OR b.size<>h.bytes)`, []any{id}},
		{"head %s: its ids differ from those of its memory and version", `SELECT h.path FROM head h JOIN memory m ON m.id=h.memory JOIN version v ON v.id=h.version WHERE h.store=? AND (m.uid<>h.muid OR v.uid<>h.vuid)`, []any{id}},
		{"head %s: it is listed as another one", `SELECT path FROM head WHERE store=? AND packed IS NOT ` + PackedHead, []any{id}},
		{"memory %s: its review state belongs to another store", `SELECT m.uid FROM look l JOIN memory m ON m.id=l.memory WHERE (l.store=?1)<>(m.store=?1)`, []any{id}},
		{"change %s: attributed by inference although its maker is known", `SELECT DISTINCT c.number FROM attribution w JOIN change c ON c.id=w.change WHERE c.store=? AND (` + notInferable + `)`, []any{id}},
		{"attribution %s: its change is missing", `SELECT id FROM attribution WHERE change NOT IN (SELECT id FROM change)`, nil},
		{"verification %s: its version is missing", `SELECT id FROM verified WHERE version NOT IN (SELECT id FROM version)`, nil},
		{"evidence %s: the change that it explains is missing", `SELECT id FROM evidence e WHERE store=? AND change IS NOT NULL AND NOT EXISTS(SELECT 1 FROM change WHERE id=e.change AND store=e.store AND kind='adopt')`, []any{id}},
		{"held change %s: what it would change is missing", `SELECT id FROM held h WHERE store=? AND state='waiting' AND NOT EXISTS(SELECT 1 FROM held_item WHERE held=h.id)`, []any{id}},
		{"held change %s: the change that applied it is missing", `SELECT id FROM held h WHERE store=? AND change>0 AND NOT EXISTS(SELECT 1 FROM change WHERE store=h.store AND number=h.change)`, []any{id}},
		{"content %s: belongs to no version", `SELECT lower(hex(sha)) FROM blob b WHERE NOT EXISTS(SELECT 1 FROM version WHERE blob=b.id)`, nil},
	} {
		if err := c.none(q.format, q.query, q.args...); err != nil {
			return err
		}
	}
	return nil
}

// log compares the log with the given head.
func (c *checker) log() (err error) {
	if c.head, err = journal.HeadOf(c.q, c.store); err != nil || c.since == nil {
		return err
	}
	if c.since.Change > c.head.Change {
		c.say("changes: the trail has %d, and had %d at the given head", c.head.Change, c.since.Change)
	}
	problem, err := journal.Since(c.q, *c.since)
	if problem != "" {
		c.say("%s", problem)
	}
	return err
}

// Losses lists the parts of a store's history that a repair found lost, oldest first. A loss is no
// longer a problem: the history marks it, and nothing else depends on it.
func Losses(q db.Queryer, store int64) (out []string, err error) {
	out, err = db.Values[string](q.Rows(`SELECT 'change '||number||': the record of what it was is lost' FROM change WHERE store=?1 AND kind='lost'
		UNION ALL SELECT 'change '||c.number||': the record of one of its versions is lost' FROM version v JOIN actor a ON a.id=v.redacted_by JOIN change c ON c.id=v.change WHERE c.store=?1 AND a.kind='damage'
		UNION ALL SELECT '/memories/'||v.path||' version '||v.number||': its content is lost' FROM version v JOIN blob b ON b.id=v.blob JOIN change c ON c.id=v.change WHERE c.store=?1 AND b.enc>=16 AND v.redacted IS NULL`, store))
	if err != nil {
		return nil, err
	}
	anew, err := journal.Restarts(q)
	return append(out, anew...), err
}

// contents reads every content of the store's versions and compares it with its hash.
func (c *checker) contents() error {
	ids, err := db.Values[int64](c.q.Rows(`SELECT DISTINCT v.blob FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.blob IS NOT NULL`, c.store))
	if err != nil {
		return err
	}
	for len(ids) > 0 {
		some, err := blobs.GetMany(c.q, ids)
		if err != nil {
			return err
		}
		ids = ids[len(some):]
		for _, b := range some {
			switch {
			case errors.Is(b.Err, versions.ErrLost): // Losses lists it
			case errors.Is(b.Err, versions.ErrDamaged):
				c.say("%v", b.Err)
			case b.Err != nil:
				return b.Err
			case b.Size != int64(len(b.Text)):
				c.say("content %d: its size is %v, and %d is recorded", b.ID, len(b.Text), b.Size)
			}
		}
	}
	return nil
}
