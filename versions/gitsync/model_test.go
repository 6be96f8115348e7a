package gitsync

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
)

var (
	modelRounds = flag.Int("gitsync.rounds", 4, "rounds of random acts in each of three homes")
	modelSeed   = flag.Uint64("gitsync.seed", 1, "seed of the random acts; 0 takes one from the clock")
)

var errStopped = errors.New("stopped by the test")

// Three homes and a colleague without memend act at random, and syncs stop at random steps. In the end all have the same
// texts and the same changes: each that somebody made, once.
func TestThreeHomesEndAlike(t *testing.T) {
	t.Parallel()
	threeHomes(t, false)
}

// So it is when homes erase what they have, and replace the branch.
func TestThreeHomesThatEraseEndAlike(t *testing.T) {
	t.Parallel()
	threeHomes(t, true)
}

func threeHomes(t *testing.T, erases bool) {
	seed := *modelSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-gitsync.seed=%d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	w := newWorld(t)
	homes := []*home{w.home("ann"), w.home("bob"), w.home("cal")}
	homes[0].write("begin.md", "begin\n")
	homes[0].sync()
	dir := w.clone()
	names := []string{"a.md", "b.md", "notes/c.md", "notes", "d.md", "deep/er/e.md"}
	made := map[string]bool{} // lines, each written once
	lines := 0
	line := func(who string) string {
		lines++
		return fmt.Sprintf("%s %d\n", who, lines)
	}
	for round := range *modelRounds {
		for range 6 {
			h := homes[rnd.IntN(len(homes))]
			name := names[rnd.IntN(len(names))]
			texts := h.texts()
			var err error
			switch old, there := texts[name]; {
			case there && rnd.IntN(5) == 0:
				_, err = h.s.Delete(t.Context(), h.me, at(name))
			case there && rnd.IntN(5) == 0:
				_, err = h.s.Rename(t.Context(), h.me, at(name), at(names[rnd.IntN(len(names))]))
			case rnd.IntN(8) == 0:
				cs, cerr := history.Changes(t.Context(), h.s, versions.Filter{}, 0, 5)
				w.must(cerr)
				if len(cs) > 0 {
					_, err = plan.Do(t.Context(), h.s, h.me, plan.UndoChange(cs[rnd.IntN(len(cs))].Number))
				}
			default:
				in := strings.SplitAfter(old, "\n")
				s := line(h.me.Actor.Name)
				if _, err = h.s.Write(t.Context(), h.me, at(name), []byte(strings.Join(slices.Insert(in, rnd.IntN(len(in)), s), "")), versions.Pre{}); err == nil {
					made[s] = true
				}
			}
			_ = err // what can't be done is not done
		}
		if rnd.IntN(3) == 0 {
			w.git(dir, "fetch", "--quiet")
			w.git(dir, "reset", "--quiet", "--hard", "origin/main")
			w.commit(dir, fmt.Sprintf("round %d", round), map[string]string{"tess.md": line("tess")})
			made[fmt.Sprintf("tess %d\n", lines)] = true
		}
		h := homes[rnd.IntN(len(homes))]
		if erases && rnd.IntN(4) == 0 && len(made) > 0 {
			all := slices.Sorted(maps.Keys(made))
			h.erase(all[rnd.IntN(len(all))], made)
		}
		stopAt := rnd.IntN(8)
		h.step = func(string) error {
			if stopAt--; stopAt == 0 {
				return errStopped
			}
			return nil
		}
		if _, err := h.trySync(Options{}); err != nil && !errors.Is(err, errStopped) {
			t.Fatalf("round %d: %s: %v", round, h.me.Actor.Name, err)
		}
		h.step = nil
		if rnd.IntN(2) == 0 {
			h.decideAll(rnd)
		}
	}
	for still, n := true, 0; still; n++ { // a decision may conflict with another
		still = false
		for _, h := range homes {
			r := h.sync()
			still = h.decideAll(rnd) || still || len(r.Taken)+len(r.Held)+r.Sent+r.Waiting > 0 || r.Pushed
		}
		if n == 20 {
			t.Fatal("the homes don't come to an end")
		}
	}
	for _, h := range homes[1:] {
		if a, b := homes[0].texts(), h.texts(); !maps.Equal(a, b) {
			t.Errorf("%s has %q, %s %q", homes[0].me.Actor.Name, a, h.me.Actor.Name, b)
		}
	}
	if got := w.tree(); !maps.Equal(got, homes[0].texts()) {
		t.Errorf("the branch has %q, the homes %q", got, homes[0].texts())
	}
	ids := w.git(w.url, "log", "--format=%(trailers:key=Memend-Id,valueonly)", "main")
	seen := map[string]bool{}
	for id := range strings.FieldsSeq(ids) {
		if seen[id] {
			t.Errorf("%s is on the branch twice", id)
		}
		seen[id] = true
	}
	for _, h := range homes {
		had := h.everHad()
		for s := range made {
			if !had[s] {
				t.Errorf("%s never had %q", h.me.Actor.Name, s)
			}
		}
		if r := h.sync(); len(r.Taken)+len(r.Held)+r.Sent != 0 || r.Pushed {
			t.Errorf("%s is not done: %+v", h.me.Actor.Name, r)
		}
	}
}

// erase erases a line that somebody wrote from everything that the home has, and from the branch. Whoever had it has it
// still.
func (h *home) erase(line string, made map[string]bool) {
	h.Helper()
	p, err := redact.Prepare(h.Context(), h.s, versions.RedactTarget{Match: []byte(strings.TrimSpace(line))})
	h.must(err)
	if len(p.Erase) == 0 {
		return
	}
	_, err = redact.Do(h.Context(), h.s, h.me, p, versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("***")})
	h.must(err)
	clear(made) // a version that is erased had other lines, too
	b, _, err := Branch(h.Context(), h.s)
	h.must(err)
	_, err = h.trySync(Options{Rewrite: b.Erased})
	h.must(err)
}

// decideAll decides all that waits, and reports whether there was something.
func (h *home) decideAll(rnd *rand.Rand) bool {
	h.Helper()
	waiting, err := review.Held(h.Context(), h.s, versions.HeldFilter{State: versions.HeldWaiting})
	h.must(err)
	for _, held := range waiting {
		p, err := plan.Make(h.Context(), h.s, plan.Accept(held.Number))
		h.must(err)
		choices := map[versions.MemoryID]planning.Choice{}
		for _, it := range p.Conflicts {
			choices[it.Memory] = planning.Choice{Kind: planning.TakeTheirs}
		}
		if rnd.IntN(2) == 0 {
			if _, err = plan.Apply(h.Context(), h.s, h.me, p, choices); err == nil {
				continue
			}
		}
		h.must(review.Reject(h.Context(), h.s, h.me, held.Number, "no"))
	}
	return len(waiting) > 0
}

// everHad returns the lines of all versions and held changes of the store.
func (h *home) everHad() map[string]bool {
	h.Helper()
	lines := map[string]bool{}
	note := func(text string) {
		for line := range strings.Lines(text) {
			lines[line] = true
		}
	}
	h.must(exchange.Export(context.Background(), h.s, func(it versions.Item) error {
		note(string(it.Content))
		return nil
	}))
	db, err := sql.Open("sqlite", "file:"+filepath.Join(h.home, "trail.db")+"?mode=ro")
	h.must(err)
	defer db.Close()
	rows, err := db.Query(`SELECT text FROM held_item WHERE text IS NOT NULL`)
	h.must(err)
	defer rows.Close()
	for rows.Next() {
		var text string
		h.must(rows.Scan(&text))
		note(text)
	}
	h.must(rows.Err())
	return lines
}
