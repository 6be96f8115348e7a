package memory

import (
	"strings"

	"github.com/memend/memend/ui/syntax"
)

// maxFront is the largest number of lines of front matter.
const maxFront = 500

// frontMatter counts the lines of YAML between --- lines at the top of Markdown.
func (d *document) frontMatter() int {
	lines := d.lines
	if d.lang != syntax.Markdown || len(lines) < 3 || strings.TrimRight(lines[0], " \t") != "---" {
		return 0
	}
	for i, s := range lines[1:min(len(lines), maxFront)] {
		if s = strings.TrimRight(s, " \t"); s == "---" || s == "..." {
			return i + 2
		}
	}
	return 0
}
