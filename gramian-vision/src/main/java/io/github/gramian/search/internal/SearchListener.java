package io.github.gramian.search.internal;

/** Listener for a search; called by the thread that runs it. */
@FunctionalInterface
public interface SearchListener {
    void onEvent(SearchEvent event);
}
