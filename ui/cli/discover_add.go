package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/engine"
)

// choosePlaces returns the named places: by number, numbers (1,3 or 1-3), folder, or all that are
// not stores yet. Empty places are included in "all" only if they are listed. A folder that
// is not among all is looked for with search; numbers always refer to all.
func choosePlaces(all []places.Place, named []string, empty bool, search func(folder string) ([]places.Place, error)) (out []places.Place, err error) {
	for _, s := range named {
		some, err := placesNamed(all, s, empty, search)
		if err != nil {
			return nil, err
		}
		for _, x := range some {
			if !slices.ContainsFunc(out, func(y places.Place) bool { return y.Folder == x.Folder }) {
				out = append(out, x)
			}
		}
	}
	return out, nil
}

func placesNamed(all []places.Place, s string, empty bool, search func(string) ([]places.Place, error)) ([]places.Place, error) {
	if s == "all" {
		return slices.DeleteFunc(slices.Clone(all), func(x places.Place) bool { return !x.CanBeAdded() || emptiness(x) > 0 && !empty }), nil
	}
	if from, to, ok := numbers(s); ok {
		if from < 1 || to > len(all) || from > to {
			return nil, misusef("memend stores discover", "no folder has the number %s; there are %d", s, len(all))
		}
		return all[from-1 : to], nil
	}
	fi, err := os.Stat(s)
	if err == nil && fi.IsDir() && search != nil {
		return placeAt(all, s, fi, search)
	}
	if list := strings.FieldsFunc(s, func(r rune) bool { return r == ',' }); len(list) > 1 {
		return choosePlaces(all, list, empty, search)
	}
	return nil, misusef("memend stores discover", "%s is neither a number of the list, nor a folder, nor all", s)
}

// placeAt returns the places for a folder.
func placeAt(all []places.Place, s string, want os.FileInfo, search func(string) ([]places.Place, error)) ([]places.Place, error) {
	folder, err := filepath.Abs(s)
	if err != nil {
		return nil, err
	}
	found, err := search(folder)
	if err != nil {
		return nil, err
	}
	for _, x := range append(slices.Clone(all), found...) {
		if is, err := os.Stat(x.Folder); err == nil && os.SameFile(is, want) {
			return []places.Place{x}, nil
		}
	}
	return nil, &hinted{fmt.Errorf("%s: not a memory folder of a known tool", s), "`memend stores create NAME --folder DIR` creates a store in any folder"}
}

// numbers parses 3 and 3-5.
func numbers(s string) (from, to int, ok bool) {
	a, b, span := strings.Cut(s, "-")
	from, err := strconv.Atoi(a)
	if err != nil {
		return 0, 0, false
	}
	if !span {
		return from, from, true
	}
	to, err = strconv.Atoi(b)
	return from, to, err == nil
}

// addPlaces creates stores for places. It reports those that can't be added and goes on
// with the others.
func addPlaces(ctx context.Context, p *caller, t *engine.Trail, chosen []places.Place) error {
	var failed []error
	for _, x := range chosen {
		if x.IsStore() {
			fmt.Fprintf(p.err, "memend: %s is already store %s\n", text.Field(x.Folder), text.Field(x.Store.Name))
			continue
		}
		if err := t.Make(ctx); err != nil {
			return err
		}
		info, err := places.Add(ctx, t, p.by, x)
		if err == nil {
			reportStore(&p.console, info, "created store %s in %s"+pinnedNote(x.Pinned()), info.Name, info.Folder)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}
