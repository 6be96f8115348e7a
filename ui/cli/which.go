package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/config"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// One rule selects the store that a command works on: the one that -s names, else the one
// that $MEMEND_STORE names, else the one whose folder contains the working directory, else
// the one whose project contains it, else for a person the only one of the home. If there is none, the
// command exits with exitMisuse. Reading never creates a store. A store of named files, such as the
// instructions of agents, comes after all others.
//
// An agent gets no store that it did not name, besides those of the directory it works in and the one
// that memend made for agents. That one is known by a mark in the trail: a person's store may have any name.

// agentsName is the name of the store that memend makes for agents, if no store has it.
const agentsName = "memories"

// choosing is for whom a store is selected.
type choosing int

const (
	byPerson choosing = iota
	byAgent
	forClient // by a person, for a program in whose settings the store is then named
)

// noStoreHere means that the rule selects no store, or several.
type noStoreHere struct {
	all     []versions.StoreInfo // of the home, the last opened one first
	project []versions.StoreInfo // those that belong to the project of the working directory
	noHome  string               // the folder of the home if it does not exist: another one may be meant
}

func (e *noStoreHere) Error() string {
	if len(e.project) > 0 {
		return "several stores belong to this project: " + strings.Join(storeNames(e.project), ", ")
	}
	if e.noHome != "" {
		return "no store here: " + e.noHome + " is no home of memend yet"
	}
	return "no store here"
}

func (e *noStoreHere) hint() string {
	switch {
	case e.noHome != "":
		return "`memend .` opens this folder, `memend stores create NAME` creates a store, `memend stores discover` finds the memories of other tools; --home names another home"
	case len(e.project) > 0:
		return "name one of them with -s"
	case len(e.all) == 0:
		return "`memend .` opens this folder, `memend stores create NAME` creates a store, `memend stores discover` finds the memories of other tools"
	}
	return fmt.Sprintf("`memend .` opens this folder, `memend stores` lists %d; -s NAME chooses one", len(e.all))
}

func storeNames(all []versions.StoreInfo) (out []string) {
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}

// chooseStore returns the store that the rule selects for whoever runs the command.
func (p *invocation) chooseStore(ctx context.Context, t *engine.Trail) (versions.StoreInfo, error) {
	who := *p
	if p.filters {
		who.actor, who.session = "", ""
	}
	if by, err := who.person(); err != nil || !by.Person() {
		return p.selectStore(ctx, t, byAgent)
	}
	return p.selectStore(ctx, t, byPerson)
}

// selectStore returns the store that the rule selects.
func (p *invocation) selectStore(ctx context.Context, t *engine.Trail, who choosing) (versions.StoreInfo, error) {
	if ref := p.requestedStore(); ref != "" {
		return p.namedStore(ctx, t, ref)
	}
	all, err := t.Stores(ctx)
	if err != nil {
		return versions.StoreInfo{}, err
	}
	among := [][]versions.StoreInfo{slices.DeleteFunc(slices.Clone(all), func(s versions.StoreInfo) bool { return !s.Files.All() })}
	if who == byPerson {
		among = append(among, all)
	}
	info, none := versions.StoreInfo{}, (*noStoreHere)(nil)
	for _, stores := range among {
		if info, err = storeHere(ctx, t, stores); !errors.As(err, &none) || len(none.project) > 0 {
			return info, err
		}
	}
	if who != byAgent {
		for _, stores := range among {
			if len(stores) == 1 {
				return stores[0], nil
			}
		}
	}
	if who != byPerson {
		if i := slices.IndexFunc(all, func(s versions.StoreInfo) bool { return s.ForAgents }); i >= 0 {
			return all[i], nil
		}
	}
	return info, err
}

// storeHere returns the store among some whose folder or project contains the working directory.
func storeHere(ctx context.Context, t *engine.Trail, among []versions.StoreInfo) (versions.StoreInfo, error) {
	none := &noStoreHere{all: among}
	if engine.IsNew(t.Home()) {
		none.noHome = t.Home()
	}
	if here, err := os.Getwd(); err == nil {
		info, err := t.FindStore(ctx, here)
		switch {
		case err == nil && !slices.ContainsFunc(among, func(s versions.StoreInfo) bool { return s.ID == info.ID }):
		case !errors.Is(err, versions.ErrNoStore):
			return info, err
		}
		none.project = places.StoresOf(among, here)
	}
	if len(none.project) == 1 {
		return none.project[0], nil
	}
	return versions.StoreInfo{}, &misuse{none, ""}
}

// requestedStore returns the store that was named, or "".
func (p *invocation) requestedStore() string { return cmp.Or(p.store, os.Getenv("MEMEND_STORE")) }

// agentsStore returns the store that an agent works on: by the rule, or else one that is made for agents. In a home with other
// stores it says so then: until there was such a store, agents got the only one of the home, or the one called memories.
func agentsStore(ctx context.Context, p *console, who *invocation, t *engine.Trail) (versions.StoreInfo, error) {
	info, err := who.selectStore(ctx, t, byAgent)
	if !errors.As(err, new(*noStoreHere)) {
		return info, err
	}
	by, err := who.person()
	if err != nil {
		return versions.StoreInfo{}, err
	}
	all, err := t.Stores(ctx)
	if err != nil {
		return versions.StoreInfo{}, err
	}
	if err := t.Make(ctx); err != nil {
		return versions.StoreInfo{}, err
	}
	info, err = t.MakeStore(ctx, by, versions.NewStore{Name: agentsName, ForAgents: true})
	if err == nil && len(all) > 0 {
		fmt.Fprintf(p.err, "memend: made the store %s for agents that name none; -s NAME gives them another\n", info.Name)
	}
	return info, err
}

// isFolder reports whether a store is named by its folder: with a slash, or as . or ..,
// which can't be names of stores.
func isFolder(ref string) bool {
	return ref == "." || ref == ".." || strings.ContainsAny(ref, `/`+string(filepath.Separator))
}

// findStore finds a store by its name, its id or a prefix of it, or its folder.
func findStore(ctx context.Context, t *engine.Trail, ref string) (versions.StoreInfo, error) {
	if isFolder(ref) {
		return t.FindStore(ctx, ref)
	}
	all, err := t.Stores(ctx)
	if err != nil {
		return versions.StoreInfo{}, err
	}
	var begun []versions.StoreInfo
	for _, s := range all {
		switch {
		case s.Name == ref || string(s.ID) == ref:
			return s, nil
		case len(ref) > len(storePrefix) && strings.HasPrefix(ref, storePrefix) && strings.HasPrefix(string(s.ID), ref):
			begun = append(begun, s)
		}
	}
	switch {
	case len(begun) == 1:
		return begun[0], nil
	case len(begun) > 1:
		return versions.StoreInfo{}, fmt.Errorf("%w: id prefix %s is ambiguous", versions.ErrNoStore, ref)
	}
	err = fmt.Errorf("%w: %s", versions.ErrNoStore, ref)
	fi, serr := os.Stat(ref)
	near := config.Nearest(ref, storeNames(all))
	switch {
	case serr == nil && fi.IsDir():
		return versions.StoreInfo{}, &hinted{err, fmt.Sprintf("./%s names the folder; `memend stores` lists the stores", ref)}
	case near != "":
		return versions.StoreInfo{}, &hinted{err, fmt.Sprintf("did you mean %s? `memend stores` lists the stores", near)}
	}
	return versions.StoreInfo{}, err
}

// storePrefix begins the ids of stores.
const storePrefix = "memstore_"

// namedStore is findStore for the store to work on. A command that writes creates a store
// for a folder that is not one yet.
func (p *invocation) namedStore(ctx context.Context, t *engine.Trail, ref string) (versions.StoreInfo, error) {
	info, err := findStore(ctx, t, ref)
	if !errors.Is(err, versions.ErrNoStore) || !isFolder(ref) {
		return info, err
	}
	switch {
	case isDir(ref) && p.makes:
		by, err := p.person()
		if err != nil {
			return info, err
		}
		made, err := t.MakeStore(ctx, by, versions.NewStore{Folder: ref})
		if err != nil { // another process may have made it
			if found, ferr := t.FindStore(ctx, ref); ferr == nil {
				return found, nil
			}
		}
		return made, err
	case isDir(ref):
		return info, &misuse{&hinted{fmt.Errorf("folder %s: %w", ref, errNoStoreYet),
			fmt.Sprintf("`memend %[1]s` opens it and begins its history, `memend stores create NAME --folder %[1]s` does so without the TUI", ref)}, ""}
	}
	return info, &misuse{noFolder(ref), ""}
}

// noFolder returns the error for a folder that is to be a store, and isn't one.
func noFolder(name string) error {
	if _, err := os.Stat(name); err == nil {
		return &hinted{fmt.Errorf("%s is a file: a store is a folder", name), "name the folder that contains it"}
	}
	return &hinted{fmt.Errorf("no such folder: %s", name), "memend opens only existing folders; create it first, or check the spelling"}
}

// errNoStoreYet means that a folder is not a store yet.
var errNoStoreYet = errors.New("it is not a store yet")

// screenStore returns the store that the TUI opens: the named one, or the one that the rule
// selects, or the one that was opened last. In an empty home the person chooses among those
// that discover finds: with welcome if it is not nil, else in a list.
func screenStore(ctx context.Context, p *storeOpener, t *engine.Trail, ref string, welcome welcomeScreen) (versions.StoreInfo, error) {
	if ref != "" {
		return p.namedStore(ctx, t, ref)
	}
	info, err := p.chooseStore(ctx, t)
	none := (*noStoreHere)(nil)
	if !errors.As(err, &none) {
		return info, err
	}
	if all := slices.Concat(none.project, none.all); len(all) > 0 {
		return all[0], nil
	}
	if !p.canAsk() {
		return info, err
	}
	if welcome != nil {
		chosen, werr := welcome(ctx, t)
		if all, serr := t.Stores(ctx); serr != nil || len(all) > 0 {
			if werr != nil {
				fmt.Fprintf(p.err, "memend: %s\n", text.Field(werr.Error()))
			}
			return firstStore(ctx, &p.invocation, t, all, serr)
		}
		if !chosen || werr != nil {
			return info, errors.Join(err, werr)
		}
	}
	fmt.Fprintln(p.err, "memend: no store yet; these are the memories of other tools")
	if derr := discoverPlaces(ctx, &p.caller, t, nil, discovery{}); derr != nil {
		return info, derr
	}
	if all, serr := t.Stores(ctx); serr != nil || len(all) > 0 {
		return firstStore(ctx, &p.invocation, t, all, serr)
	}
	return info, err
}

// firstStore returns the store that the rule selects among the first ones of a home, or any.
func firstStore(ctx context.Context, p *invocation, t *engine.Trail, all []versions.StoreInfo, err error) (versions.StoreInfo, error) {
	if err != nil {
		return versions.StoreInfo{}, err
	}
	if info, err := p.chooseStore(ctx, t); err == nil {
		return info, nil
	}
	return all[0], nil
}
