//go:build unix

package scrub

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// Every piece that is long enough must be found, wherever it lies in what is
// read, however it is read, and be counted once.
func TestEverySurvivingPieceIsFound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name  string
		total int64 // decides the step
		piece int
	}{
		{"a window", 1000, WindowBytes}, {"a run", 1000, 100}, {"a run of a large content", 40 * maxWindows, WindowBytes + 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			erased := []byte(unique(r, 5000))
			w := NewPieces(c.total)
			w.Add(erased)
			w.Add([]byte("a short one"))
			if w.Run() > c.piece {
				t.Fatalf("only runs of %d are promised", w.Run())
			}
			for _, at := range []int{0, 1, 1<<20 - c.piece - 1, 1<<20 - c.piece + 1, 1<<20 - 1, 1<<20 + 7, 2<<20 - 12} {
				file := bytes.Repeat([]byte("-"), 3<<20)
				from := r.IntN(len(erased) - c.piece)
				copy(file[at:], erased[from:from+c.piece])
				copy(file[at+c.piece+5:], "a short one")
				var f Finding
				var read int
				if err := (&Scanner{Pieces: w}).Scan(iotest.HalfReader(bytes.NewReader(file)), &f, func(n int) error { read += n; return nil }); err != nil || read != len(file) {
					t.Fatalf("%d bytes read, %v", read, err)
				}
				found := f.Hits
				if len(found) < 2 || found[int32(len(w.next))] != 1 {
					t.Errorf("at %d: found %v", at, found)
				}
				for i, n := range found {
					if n != 1 {
						t.Errorf("at %d: window %d was counted %d times", at, i, n)
					}
				}
			}
		})
	}
}

func TestWhatIsPlainOrShortIsLookedForAsAWhole(t *testing.T) {
	t.Parallel()
	w := NewPieces(0)
	for _, text := range []string{"4711", strings.Repeat(" ", 500), strings.Repeat("-=", 200), "aaaaaaaaaaaa"} {
		w.Add([]byte(text))
	}
	w.Add(nil) // nothing was erased with it
	if w.Count() != 0 || len(w.whole) != 4 {
		t.Errorf("%d windows, %d whole texts", w.Count(), len(w.whole))
	}
	for text, want := range map[string]bool{"4711": true, "4712": false, "47110": false, strings.Repeat("-=", 200): true, "": false} {
		if w.isWhole([]byte(text)) != want {
			t.Errorf("%q is a whole text: %t", text, !want)
		}
	}
}

func TestASearchStopsWhenItIsTold(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	w := NewPieces(0)
	err := (&Scanner{Pieces: w}).Scan(bytes.NewReader(make([]byte, 5<<20)), &Finding{}, func(int) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

// The search goes over every byte of the home: it should cost no more than a few
// times what hashing them would.
func BenchmarkSearch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	w := NewPieces(20_000)
	w.Add([]byte(unique(r, 20_000)))
	file := []byte(unique(r, 16<<20))
	b.Run("search", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			w.Find(file, Hits{})
		}
	})
	b.Run("hash", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			sha256.Sum256(file)
		}
	})
}
