package engine_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

func TestEvidenceThatALookHasMet_IsDropped(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := newWorld(t, versions.Options{Now: func() time.Time { return now }})
	w.outside("a.md", "a")
	w.tell(wrote("S", "t1", "a.md", "a", now))
	for _, c := range []struct {
		after time.Duration
		left  int
	}{{time.Minute, 1}, {10 * time.Minute, 0}} {
		now = now.Add(c.after)
		w.sync()
		var n int
		if err := w.trail.DB.Row(t.Context(), `SELECT count(*) FROM evidence`).Scan(&n); err != nil || n != c.left {
			t.Errorf("after %v %d calls are left, want %d, %v", c.after, n, c.left, err)
		}
	}
}

func TestEvidenceThatExplainsNothingYet_WaitsForALook(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := newWorld(t, versions.Options{Now: func() time.Time { return now }})
	w.outside("a.md", "a")
	read := wrote("S", "t2", "a.md", "", now)
	read.Op = versions.CallRead
	w.tell(wrote("S", "t1", "a.md", "a", now), read, wrote("S", "t3", "b.md", "b", now))
	for _, c := range []struct {
		after time.Duration
		left  int
	}{{20 * time.Minute, 2}, {60 * 24 * time.Hour, 1}} {
		now = now.Add(c.after)
		w.tell(wrote("S", now.String(), "c.md", "c", now))
		var n int
		if err := w.trail.DB.Row(t.Context(), `SELECT count(*) FROM evidence`).Scan(&n); err != nil || n != c.left {
			t.Errorf("after %v %d calls are left, want %d, %v", c.after, n, c.left, err)
		}
	}
}

// However many calls come while nobody looks at the folder, a bounded number waits: the
// newest.
func TestEvidenceIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const most = 20_000
	w.harm(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<` + strconv.Itoa(most+10) + `)
		INSERT INTO evidence(store,op,path,agent,session,tool_use,turn,began,ended) SELECT (SELECT id FROM store),'write','x'||i,'a','S',i,0,0,` + strconv.FormatInt(time.Now().UnixMicro(), 10) + ` FROM n`)
	w.tell(wrote("S", "last", "a.md", "a", time.Now()))
	var n int
	var newest string
	err := w.trail.DB.Row(t.Context(), `SELECT count(*),(SELECT tool_use FROM evidence ORDER BY id DESC LIMIT 1) FROM evidence`).Scan(&n, &newest)
	if err != nil || n != most || newest != "last" {
		t.Errorf("%d calls wait, the newest of them %s, %v", n, newest, err)
	}
}
