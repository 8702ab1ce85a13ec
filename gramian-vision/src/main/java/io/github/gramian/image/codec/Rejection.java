package io.github.gramian.image.codec;

import java.util.EnumSet;
import java.util.Set;

/** Why a file gave no image. The names are stable: scripts read them in lists of rejects. */
public enum Rejection {
    MISSING("there is no such file"),
    BROKEN_LINK("the symbolic link is broken or part of a cycle"),
    NOT_A_FILE("this is not a regular file"),
    UNREADABLE("the file cannot be read"),
    CHANGED("the file was changed while it was in use"),
    EMPTY("the file has no bytes"),
    TOO_MANY_BYTES("the file is too large"),
    TOO_MANY_PIXELS("the image is too large"),
    UNKNOWN_FORMAT("the content is not a JPEG, PNG, WebP, BMP, TIFF, GIF, HEIC or AVIF"),
    UNSUPPORTED("the format is known, but this kind of it cannot be decoded"),
    TRUNCATED("the file ends too early"),
    CORRUPT("the content contradicts its format"),
    OUT_OF_MEMORY("the heap is too small for this image"),
    CANCELLED("decoding was cancelled"),
    UNNAMEABLE("the file's name cannot be used on this system"),
    NEEDS_CONVERTER("HEIC and AVIF files need a converter");

    /** Reasons that depend only on the file's bytes, not on the machine, its state or the limits. */
    private static final Set<Rejection> OF_CONTENT = EnumSet.of(EMPTY, UNKNOWN_FORMAT, UNSUPPORTED, TRUNCATED, CORRUPT);

    private final String sentence;

    Rejection(String sentence) {
        this.sentence = sentence;
    }

    /** Whether the same bytes are rejected everywhere and always: such a rejection may be cached, any other must not. */
    public boolean isOfContent() {
        return OF_CONTENT.contains(this);
    }

    /** The reason in words. */
    public String sentence() {
        return sentence;
    }
}
