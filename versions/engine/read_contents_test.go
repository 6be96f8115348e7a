package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
)

func (w *world) contents(past bool) (out []string) {
	w.t.Helper()
	err := vhistory.Contents(w.t.Context(), w.store, past, func(some []versions.Content) error {
		for _, c := range some {
			line := fmt.Sprintf("%q", c.Text)
			for _, h := range c.In {
				line += fmt.Sprintf(" %s@%d", h.Path, h.Number)
				if h.Current {
					line += "*"
				}
			}
			out = append(out, line)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestContents_AreReadOnceWithAllVersionsThatHaveThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "one")
	w.write(robot, "a", "two")
	w.write(alice, "b", "one")
	w.write(robot, "c", "three")
	if _, err := w.store.Delete(t.Context(), alice, mustPath("c")); err != nil {
		t.Fatal(err)
	}
	if got, want := w.contents(false), []string{`"two" /a@2*`, `"one" /b@1*`}; !slices.Equal(got, want) {
		t.Errorf("current: %q, want %q", got, want)
	}
	if got, want := w.contents(true), []string{`"three" /c@1`, `"two" /a@2*`, `"one" /b@1* /a@1`}; !slices.Equal(got, want) {
		t.Errorf("all: %q, want %q", got, want)
	}
}

func TestContents_MoreThanAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 3*vhistory.ContentsPage + 1 {
		w.write(alice, "a", fmt.Sprint(n))
	}
	if got := w.contents(true); len(got) != 3*vhistory.ContentsPage+1 || got[0] != fmt.Sprintf("%q /a@%d*", fmt.Sprint(3*vhistory.ContentsPage), 3*vhistory.ContentsPage+1) {
		t.Errorf("%d contents: %q", len(got), got)
	}
	stop := errors.New("stop")
	n := 0
	if err := vhistory.Contents(t.Context(), w.store, true, func([]versions.Content) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("after an error %d pages were read: %v", n, err)
	}
}

func TestContents_LeaveOutDamage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "needle needle needle needle needle needle needle needle needle\n")
	w.write(alice, "b", "one needle\n")
	w.exec(`CREATE TABLE kept AS SELECT id,data FROM blob`)
	w.exec(`UPDATE blob SET data=CAST(substr(data,1,length(data)-6)||x'ff'||substr(data,length(data)-4) AS BLOB) WHERE id=1`)
	var found []string
	err := vhistory.Contents(t.Context(), w.store, true, func(some []versions.Content) error {
		for _, c := range some {
			found = append(found, c.In[0].Path.String())
		}
		return nil
	})
	if !errors.Is(err, versions.ErrDamaged) || !slices.Equal(found, []string{"/b"}) {
		t.Errorf("with a damaged content: found %q, %v", found, err)
	}
	w.exec(`UPDATE blob SET data=(SELECT data FROM kept WHERE id=blob.id)`)
	w.exec(`DROP TABLE kept`)
}
