// Package timeline is the timeline screen: the history of the whole store with its sessions as
// coloured bands. Moving along it shows the tree and the selected memory as they were right
// after each change, and the diff of that change. Any state shown can be restored.
//
// A bulk edit by another program is one step, even if it was recorded as several changes. Its
// single changes can be reached by their numbers or on the strip.
//
// Only one moment is loaded at a time. Meanwhile only the latest requested moment is
// remembered, so that a held key shows as many moments as there is time for and ends on the
// right one. The package writes nothing.
package timeline
