package wording

import "github.com/memend/memend/versions"

// Did says in one word what happened to a memory in a version. What another program wrote is found:
// the file may be older.
func Did(v versions.Version) string {
	switch {
	case v.Operation == versions.Created && v.Actor.Kind == versions.Outside:
		return "found"
	case v.Operation == versions.Modified && v.Renamed():
		return "renamed"
	case v.Operation == versions.Modified:
		return Edited
	case v.Kind == versions.KindForget:
		return Forgot
	}
	return string(v.Operation)
}

// Forgot is what happened to a memory whose file is no longer followed and stays as it is.
const Forgot = "forgot"

// Edited is what the screens call a modified memory.
const Edited = "edited"
