package versions

// Event tells who watches a store what is new in it.
type Event struct {
	Changes []Change // since the last event, oldest first, whoever made them: this process, another, or outside
	Reload  bool     // so much is new that Changes was left out: read the tree again
	Polling bool     // the folder can't be watched and is scanned now and then instead
	Others  bool     // entries that are not memories came, went or changed
	Err     error    // the store can't be read now (the folder is gone, say); later events follow when it can
}
