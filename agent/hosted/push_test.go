package hosted_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
)

// What somebody else deletes there a moment before is gone here too when the deletion
// is said to be done.
func TestDeletionsAtTheServiceAreSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.here, "/a.md", "one\n")
	var once sync.Once
	w.wire.set(func(r *http.Request) (before, after func(http.ResponseWriter)) {
		if r.Method == "DELETE" {
			once.Do(func() {
				if _, err := w.store.Delete(context.Background(), robot, path("/a.md")); err != nil {
					t.Error(err)
				}
			})
		}
		return nil, nil
	})
	if _, err := w.here.Delete(t.Context(), alice, path("/a.md")); err != nil || w.file("a.md") != "<none>" {
		t.Errorf("%v, %q", err, w.file("a.md"))
	}
	w.agree()
}
