package engine_test

import (
	"fmt"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// pastGap is the time between two changes, in microseconds: two changes a minute, as agents make
// them.
const pastGap = 30_000_000

// longPast fills the tables of a store with versions, round by round over its
// memories, without the folder: what looks back reads the tables alone.
func longPast(b *testing.B, memories, versions int) *core.Store {
	b.Helper()
	s := benchStore(b)
	tx, err := s.Trail.DB.W.Begin()
	if err != nil {
		b.Fatal(err)
	}
	const count = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i+1<?2) `
	path := `printf('folder %d/memory %d', (i%?3)%97, i%?3)`
	for _, q := range []string{
		`INSERT INTO actor(kind,name) SELECT 'agent','a' WHERE ?1 AND ?2 AND ?3`,
		`INSERT INTO blob(sha,size,enc,data) SELECT randomblob(32),1,0,x'00' WHERE ?1 AND ?2 AND ?3`,
		count + `INSERT INTO memory(uid,store) SELECT randomblob(15),?1 FROM n WHERE i<?3`,
		count + `INSERT INTO change(store,number,kind,path,actor,versions,ts,wall) SELECT ?1,i+1,'edit','x',1,1,(i+1)*30000000,(i+1)*30000000 FROM n WHERE ?3`,
		count + `INSERT INTO version(uid,memory,number,change,op,path,blob) SELECT randomblob(15),i%?3+1,i/?3+1,i+1,'modified',` + path + `,1 FROM n`,
		`INSERT INTO head(store,path,memory,version,sha,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts,muid,vuid)
			SELECT ?1,v.path,m.id,v.id,b.sha,b.size,0,0,0,0,0,0,0,v.change,1,v.change,m.uid,v.uid FROM version v JOIN memory m ON m.id=v.memory JOIN blob b WHERE v.id>?2-?3`,
		`UPDATE store SET changes=?2 WHERE id=?1 AND ?3`,
	} {
		if _, err := tx.Exec(q, s.Row, versions, memories); err != nil {
			b.Fatalf("%s: %v", q, err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkTreeAt looks back from near and from far, beside the listing of the tree as it is now.
func BenchmarkTreeAt(b *testing.B) {
	s := longPast(b, *pastMemories, *pastVersions)
	last := int64(*pastVersions)
	b.Run("now", func(b *testing.B) {
		for b.Loop() {
			if es, err := vhistory.Tree(b.Context(), s); err != nil || len(es) != *pastMemories {
				b.Fatalf("%d entries, %v", len(es), err)
			}
		}
	})
	for _, back := range []int64{1, 100, 1000, 10_000, last / 2, last - 1} {
		b.Run(fmt.Sprintf("back=%d/tree", back), func(b *testing.B) {
			for b.Loop() {
				if _, err := vhistory.TreeAt(b.Context(), s, last-back); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("back=%d/diff", back), func(b *testing.B) {
			for b.Loop() {
				if _, err := vhistory.DiffTrees(b.Context(), s, last-back, last); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	page := func(b *testing.B, before int64, limit int) int64 {
		cs, err := vhistory.Changes(b.Context(), s, versions.Filter{}, before, limit)
		if err != nil {
			b.Fatal(err)
		}
		if len(cs) == 0 {
			return 0
		}
		if _, err := vhistory.Acts(b.Context(), s, cs[len(cs)-1], cs[0]); err != nil {
			b.Fatal(err)
		}
		return cs[len(cs)-1].Number
	}
	b.Run("first page of the timeline", func(b *testing.B) {
		for b.Loop() {
			page(b, 0, 500)
		}
	})
	b.Run("all pages of the timeline", func(b *testing.B) {
		for b.Loop() {
			for before := page(b, 0, 500); before > 1; before = page(b, before, 5000) {
			}
		}
	})
	for _, back := range []int64{1, last / 2, last - 1 - int64(*pastMemories)} {
		b.Run(fmt.Sprintf("back=%d/entry", back), func(b *testing.B) {
			for b.Loop() {
				if _, err := vhistory.EntryAt(b.Context(), s, mustPath("folder 7/memory 7"), last-back); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("moment", func(b *testing.B) {
		for b.Loop() {
			if m, err := vhistory.MomentAt(b.Context(), s, tables.FromMicros(last/3*pastGap)); err != nil || m.Change != last/3 {
				b.Fatalf("%+v, %v", m, err)
			}
		}
	})
}

// BenchmarkTree lists a store as the first frame needs it.
func BenchmarkTree(b *testing.B) {
	for _, files := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("%d memories", files), func(b *testing.B) {
			s := filledStore(b, files/100, 100)
			for b.Loop() {
				if es, err := vhistory.Tree(b.Context(), s); err != nil || len(es) != files {
					b.Fatal(len(es), err)
				}
			}
		})
	}
}
