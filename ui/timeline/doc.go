// Package timeline is the scrubber: a time line of the whole store with its
// sessions as bands. Moving along it shows the tree and the selected memory as they
// were right after each change, and what that change did; what is found there can
// be restored from there.
//
// What another program did in one go is one step, though it may have been recorded as
// several changes. Each of these can be gone to by its number, or on the strip.
//
// Moments are asked for one at a time: while one is being looked up the newest
// wish waits, so that a held key shows as many moments as there is time for and
// ends on the right one. Nothing here writes.
package timeline
