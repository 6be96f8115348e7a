package places

import (
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

// maxSameName is the maximum number of stores with the same name that are distinguished by numbers.
const maxSameName = 1000

// Add creates a store of a place, with what is in the folder as its memories. The folder itself is not changed. If the
// name is taken, a number is appended. It returns versions.ErrNested if the folder is a store already or lies in one. The
// person's own instruction files are pinned for agents.
func Add(ctx context.Context, t *engine.Trail, by versions.By, p Place) (versions.StoreInfo, error) {
	if p.Unknown != "" {
		return versions.StoreInfo{}, fmt.Errorf("%s: %s: nothing is changed there", p.Folder, p.Unknown)
	}
	made := versions.NewStore{Description: p.Description(), Metadata: p.metadata(), Folder: p.Folder, Files: p.Files, Pinned: p.Pinned()}
	info, err := versions.StoreInfo{}, error(versions.ErrNameTaken)
	for n := 1; n <= maxSameName && errors.Is(err, versions.ErrNameTaken); n++ {
		made.Name = p.Name()
		if n > 1 {
			made.Name = fmt.Sprintf("%s-%d", made.Name, n)
		}
		info, err = t.MakeStore(ctx, by, made)
	}
	if err != nil {
		return versions.StoreInfo{}, err
	}
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return info, err
	}
	_, err = s.Sync(ctx)
	return info, errors.Join(err, s.Close())
}

// Follow records the project that the memories of a store are about after its folder was moved. A description that a
// person wrote stays.
func Follow(ctx context.Context, t *engine.Trail, by versions.By, store versions.StoreInfo) (versions.StoreInfo, error) {
	if KindOf(store) == "" {
		return store, nil
	}
	roots, _ := Here(store.Folder) // what the environment doesn't tell is not searched
	found, err := Discover(ctx, roots, []versions.StoreInfo{store})
	if err != nil {
		return store, err
	}
	for _, p := range found.Places {
		was := p
		was.Project = store.Metadata[Project]
		if !p.IsStore() || p.Kind != KindOf(store) || p.Project == "" || p.Project == was.Project {
			continue
		}
		u := versions.StoreUpdate{Metadata: map[string]*string{Project: &p.Project}}
		if about := p.Description(); store.Description == was.Description() {
			u.Description = &about
		}
		if u.Check() != nil { // the path is longer than metadata may be: Add records none either
			u.Metadata[Project] = nil
		}
		return stores.Update(ctx, t, by, store.ID, u)
	}
	return store, nil
}

// Pinned returns for whom the place is read-only when it becomes a store: the person's own instruction files for agents,
// wherever they are, because their paths need not show that they are control files. It is empty for other places.
func (p Place) Pinned() versions.PinFor {
	if p.Kind == Instructions && p.Shared {
		return versions.PinAgents
	}
	return ""
}
