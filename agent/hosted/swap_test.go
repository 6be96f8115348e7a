package hosted_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
)

// A name that is free for a moment is needed for it, and the service refuses those that memend reserves for itself.
func TestMemoriesThatSwapPlacesDoSoThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	last := w.swap()
	c, err := w.swapBack(last)
	if err != nil || c.Versions != 2 || w.file("a.md") != "a\n" || w.file("b.md") != "b\n" {
		t.Errorf("%+v, %v: %q %q", c, err, w.file("a.md"), w.file("b.md"))
	}
	w.agree()
}

// A service that fails when one memory has made room leaves that one at a path that nobody asked for. The error says so, and the same
// again finishes it.
func TestASwapThatFailsSaysWhereTheMemoryIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	last := w.swap()
	writes := 0
	w.wire.set(func(r *http.Request) (before, after func(http.ResponseWriter)) {
		if r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, "/list") {
			if writes++; writes == 2 {
				return status(http.StatusBadRequest), nil
			}
		}
		return nil, nil
	})
	c, err := w.swapBack(last)
	w.wire.set(nil)
	var partly *versions.PartlyError
	if !errors.As(err, &partly) || len(partly.Aside) != 1 || len(partly.Left) != 2 || !strings.Contains(err.Error(), partly.Aside[0].Tool()) {
		t.Fatalf("%+v, %v", c, err)
	}
	if got := w.file(partly.Aside[0].Rel()); got != "a\n" && got != "b\n" {
		t.Errorf("%s has %q", partly.Aside[0], got)
	}
	if changes, err := history.Changes(t.Context(), w.here, versions.Filter{}, 0, 1); err != nil || changes[0].Number != partly.Change || changes[0].Effect.Renamed != 1 {
		t.Errorf("the log says %+v, %v", changes, err)
	}
	if c, err := w.swapBack(last); err != nil || w.file("a.md") != "a\n" || w.file("b.md") != "b\n" || w.file(partly.Aside[0].Rel()) != "<none>" {
		t.Errorf("again: %+v, %v: %q %q", c, err, w.file("a.md"), w.file("b.md"))
	}
	w.agree()
}

// swap makes two memories and lets them swap places. It returns the change before.
func (w *world) swap() (last int64) {
	t := w.t
	t.Helper()
	w.write(w.here, "a.md", "a\n")
	w.write(w.here, "b.md", "b\n")
	last, err := w.here.LastChange(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range [][2]string{{"a.md", "t.md"}, {"b.md", "a.md"}, {"t.md", "b.md"}} {
		if _, err := w.here.Rename(t.Context(), alice, path(m[0]), path(m[1])); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

func (w *world) swapBack(to int64) (versions.Change, error) {
	w.t.Helper()
	p, err := plan.Make(w.t.Context(), w.here, plan.RestoreAt{Moment: versions.Moment{Change: to}, Paths: []memfs.Path{memfs.Root}})
	if err != nil {
		w.t.Fatal(err)
	}
	return plan.Apply(w.t.Context(), w.here, alice, p, nil)
}
