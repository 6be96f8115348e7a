package engine_test

import (
	"fmt"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/review"
)

// BenchmarkTrace traces in a trail of -big.versions versions and as many reads. Sessions work in teams of ten:
// each reads 200 versions that the one before it in the team wrote.
func BenchmarkTrace(b *testing.B) {
	s := bigTrail(b, *bigVersions)
	x, err := core.Begin(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Rollback()
	x.Exec(`INSERT INTO read(store,memory,version,actor,session,ts)
		SELECT c.store,v.memory,v.id,c.actor,n.id,n.started FROM session n JOIN change c ON c.session=n.id-1 JOIN version v ON v.change=c.id WHERE n.id%10<>0`)
	var reads, sessions int
	if err := x.Row(`SELECT (SELECT count(*) FROM read),(SELECT count(*) FROM session)`).Scan(&reads, &sessions); err != nil {
		b.Fatal(err)
	}
	if err := x.Commit(); err != nil {
		b.Fatal(err)
	}
	session := versions.SessionID(fmt.Sprintf("sesn_%d", sessions/20*10+4))
	first, _, err := vhistory.Versions(b.Context(), s, versions.VersionFilter{Session: session}, "", 1)
	if err != nil || len(first) == 0 {
		b.Fatal(err)
	}
	run := func(name string, trace func() (versions.Trace, error)) {
		b.Run(name, func(b *testing.B) {
			steps := 0
			for b.Loop() {
				tr, err := trace()
				if err != nil {
					b.Fatal(err)
				}
				steps = len(tr.Steps)
			}
			b.ReportMetric(float64(steps), "steps")
			b.ReportMetric(float64(reads), "reads")
		})
	}
	run("forward", func() (versions.Trace, error) {
		return review.TraceForward(b.Context(), s.Trail, review.TraceFrom{Session: session}, 0)
	})
	run("back", func() (versions.Trace, error) {
		return review.TraceBack(b.Context(), s.Trail, review.TraceFrom{Version: first[0].ID}, 1000)
	})
}
