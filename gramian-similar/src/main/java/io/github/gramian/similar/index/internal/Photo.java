package io.github.gramian.similar.index.internal;

/**
 * An indexed photograph.
 *
 * @param path relative to the directory of the photographs, with slashes
 * @param sha256 of the file
 * @param bytes of the file
 * @param millis when the file was last changed, in milliseconds since 1970
 */
public record Photo(String path, String sha256, long bytes, long millis) {

    /** The first directory of the path, which names the class in most data sets; empty for files at the top. */
    public String label() {
        int slash = path.indexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }

    /** Whether a file has the size and time of this one. */
    boolean looksLike(Photo file) {
        return bytes == file.bytes && millis == file.millis;
    }
}
