package core

import (
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
)

// acrossOf decodes the acrossColumn.
func acrossOf(text string) (*versions.Across, error) {
	var a versions.Across
	var store, version, path string
	if err := json.Unmarshal([]byte(text), &[]any{&store, &a.Name, &version, &a.Number, &path}); err != nil {
		return nil, errors.Join(versions.ErrDamaged, err)
	}
	for _, id := range []struct {
		hex, prefix string
		set         func(string)
	}{
		{store, ids.StorePrefix, func(id string) { a.Store = versions.StoreID(id) }},
		{version, ids.VersionPrefix, func(id string) { a.Version = versions.VersionID(id) }},
	} {
		uid, err := hex.DecodeString(id.hex)
		if err != nil {
			return nil, errors.Join(versions.ErrDamaged, err)
		}
		id.set(ids.Format(id.prefix, uid))
	}
	var err error
	a.Path, err = PathOf(path)
	return &a, err
}
