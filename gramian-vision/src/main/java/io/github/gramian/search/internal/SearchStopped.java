package io.github.gramian.search.internal;

import io.github.gramian.GramianException;

/** The search was cancelled; everything before the trial under way is in its journal. */
public final class SearchStopped extends GramianException {

    private static final long serialVersionUID = 1L;

    SearchStopped(String message) {
        super(message);
    }
}
