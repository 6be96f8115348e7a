package engine

import "github.com/memend/memend/versions/internal/core"

// IsNew reports whether a home never had a trail. One that can't be looked at counts as an old one.
func IsNew(home string) bool {
	config := core.ConfigOf(home)
	return config.IsNew()
}
