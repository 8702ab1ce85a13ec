package io.github.gramian.io.internal;

/**
 * A member of a tar archive.
 *
 * @param name as it stands in the archive; it may try to leave a folder, so it is never a path
 * @param size of its content in bytes
 * @param isFile whether it is a plain file, not a folder or a link
 */
public record TarEntry(String name, long size, boolean isFile) {}
