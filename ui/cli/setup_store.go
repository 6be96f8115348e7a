package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// A client is set up for a store. If there is none to work on, setup offers to create one:
// for Claude Code of its own memories of this project, also if it has written none yet, or of those of other tools,
// and for every client a new one named after the folder. Without an answer it creates none; --yes is
// an answer for Claude Code's own memories.

// setupStore chooses or creates the store that a client is set up for, if there is none
// yet, and makes the command work on it.
func setupStore(ctx context.Context, p *storeOpener, c clients.Client, ask, yes bool) error {
	return p.withTrail(ctx, func(t *engine.Trail) error {
		all, err := t.Stores(ctx)
		if err != nil {
			return err
		}
		_, err = p.selectStore(ctx, t, forClient)
		none := (*noStoreHere)(nil)
		chosen := !errors.As(err, &none) || len(none.project) > 0
		if chosen && (c.Name != claudeCode || p.requestedStore() != "") {
			return err
		}
		o, oerr := findOffer(ctx, &p.console, t, c, all)
		if oerr != nil {
			return oerr
		}
		n := -1
		switch {
		case yes && o.ownFirst:
			n = 0
		case chosen:
			if !o.ownFirst || !ask || !p.agrees("Also make a store of its own memories of this project, "+shortFolder(o.home, o.found[0].Folder)+"?") {
				return err
			}
			n = 0
		case ask:
			if n, err = chooseOffer(&p.console, o); err != nil {
				return err
			}
		}
		if n < 0 {
			return &misuse{&hinted{fmt.Errorf("set up %s: there is no store for it", c.Title), o.commands(yes)}, ""}
		}
		if err := t.Make(ctx); err != nil {
			return err
		}
		var info versions.StoreInfo
		if n < len(o.found) {
			if n == 0 && o.ownFirst { // as private as Claude Code makes it
				if err := os.MkdirAll(o.found[n].Folder, 0o700); err != nil {
					return err
				}
			}
			info, err = places.Add(ctx, t, p.by, o.found[n])
		} else {
			info, err = t.MakeStore(ctx, p.by, o.fresh)
		}
		if err != nil {
			return err
		}
		p.store = info.Name
		reportStore(&p.console, info, "created store %s in %s", info.Name, info.Folder)
		return nil
	})
}

// storeOffer holds what a client's store can be created from.
type storeOffer struct {
	client   clients.Client
	found    []places.Place
	ownFirst bool // the first one is of the client's own memories of this project; its folder may not exist
	fresh    versions.NewStore
	home     string // of the person
}

func findOffer(ctx context.Context, p *console, t *engine.Trail, c clients.Client, all []versions.StoreInfo) (storeOffer, error) {
	o := storeOffer{client: c}
	roots, err := places.Here()
	if err != nil {
		reportSkippedFolder(p, err)
	}
	o.home = roots.Home
	name := filepath.Base(roots.Here)
	if (versions.StoreUpdate{Name: &name}).Check() != nil || slices.Contains(storeNames(all), name) {
		name = agentsName
	}
	o.fresh = versions.NewStore{Name: name, Metadata: map[string]string{places.Project: roots.Here}}
	if c.Name != claudeCode {
		return o, nil
	}
	found, err := findPlaces(ctx, t, roots)
	if err != nil {
		return o, err
	}
	o.found = slices.DeleteFunc(found.Places, func(x places.Place) bool {
		return !x.CanBeAdded() || x.IsEmpty() || !x.Files.All() // agents work on no files by which people instruct them
	})
	ownMemory, ok := places.OwnMemory(ctx, roots, roots.Here, all)
	if o.ownFirst = ok && ownMemory.CanBeAdded(); o.ownFirst {
		o.found = slices.DeleteFunc(o.found, func(x places.Place) bool { return x.Folder == ownMemory.Folder })
		o.found = slices.Insert(o.found, 0, ownMemory)
	}
	return o, nil
}

const claudeCode = "claude-code"

// chooseOffer asks what to create the store from. It returns the index of a discovered place,
// the one after for a new store, or -1 for none.
func chooseOffer(p *console, o storeOffer) (int, error) {
	fmt.Fprintf(p.err, "memend: there is no store for %s yet; create it from\n", o.client.Title)
	width := max(widest(o.found, places.Place.Name), text.Width(text.Field(o.fresh.Name)))
	for i, x := range o.found {
		p.println("%3d  %s  %12s  %s", i+1, p.column(x.Name(), width), memoryCount(x), p.safe(shortFolder(o.home, x.Folder)))
	}
	p.println("%3d  %s  %12s  %s", len(o.found)+1, p.column(o.fresh.Name, width), "new", "in memend's home")
	answer := p.ask("Which one? Number; Enter for none: ")
	if answer == "" {
		return -1, nil
	}
	n, err := strconv.Atoi(answer)
	if err != nil || n < 1 || n > len(o.found)+1 {
		return -1, misusef("memend setup", "%s is not one of the numbers 1 to %d", answer, len(o.found)+1)
	}
	return n - 1, nil
}

// commands returns the command lines that do the same without a question.
func (o storeOffer) commands(yes bool) string {
	again := "memend setup " + o.client.Name
	if yes {
		again += " --yes"
	}
	create := fmt.Sprintf("`memend stores create %s && %s -s %[1]s`", shellWord(o.fresh.Name), again)
	if len(o.found) == 0 {
		return create + " creates a store and continues"
	}
	x := o.found[0]
	if o.ownFirst {
		return fmt.Sprintf("`memend setup %s --yes` uses its own memories of this project, %s (%s), %s creates a new store", o.client.Name, shellWord(x.Folder), memoryCount(x), create)
	}
	return fmt.Sprintf("`memend stores discover --add %s && %s -s %s` uses the %s in it, %s creates a new store", shellWord(x.Folder), again, shellWord(x.Name()), memoryCount(x), create)
}
