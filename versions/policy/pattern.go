package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// checkPath reports what is wrong with a pattern of paths.
func checkPath(pattern string) error {
	if !strings.HasPrefix(pattern, "/") {
		return fmt.Errorf("path %q must begin with /", pattern)
	}
	for _, name := range segments(pattern) {
		if name == "." || name == ".." {
			return fmt.Errorf("path %q must have no segment . or .. in it", pattern)
		}
		if _, err := path.Match(name, ""); err != nil {
			return errors.New("a [ in a path is not closed")
		}
	}
	return nil
}

// segments returns the names of a path; the root has none.
func segments(p string) []string {
	return slices.DeleteFunc(strings.Split(p, "/"), func(s string) bool { return s == "" })
}

// under reports whether a path fits a pattern, or lies in a folder that does.
func under(pattern, p string) bool { return fits(segments(pattern), segments(p)) }

func fits(pattern, p []string) bool {
	if len(pattern) == 0 {
		return true
	}
	if pattern[0] == "**" {
		for i := range len(p) + 1 {
			if fits(pattern[1:], p[i:]) {
				return true
			}
		}
		return false
	}
	if len(p) == 0 {
		return false
	}
	ok, _ := path.Match(pattern[0], p[0])
	return ok && fits(pattern[1:], p[1:])
}
