package io.github.gramian.image;

/** Why a file gave no image. The names are stable: they stand in lists of rejects, which scripts read. */
public enum Rejection {
    MISSING("there is no such file"),
    BROKEN_LINK("the symbolic link leads nowhere or in a circle"),
    NOT_A_FILE("this is no regular file"),
    UNREADABLE("the file cannot be read"),
    EMPTY("the file has no bytes"),
    TOO_MANY_BYTES("the file is too large"),
    TOO_MANY_PIXELS("the image is too large"),
    UNKNOWN_FORMAT("the content is no JPEG, PNG, WebP, BMP, TIFF or GIF"),
    UNSUPPORTED("the format is known, but this kind of it cannot be decoded"),
    TRUNCATED("the file ends too early"),
    CORRUPT("the content contradicts its format"),
    OUT_OF_MEMORY("the heap is too small for this image");

    private final String sentence;

    Rejection(String sentence) {
        this.sentence = sentence;
    }

    /** The reason in words. */
    public String sentence() {
        return sentence;
    }
}
