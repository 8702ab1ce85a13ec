package io.github.gramian.train.ridge.internal;

/** Descriptors that were computed once and are stored until they are closed: in memory or on disk. */
sealed interface StoredDescriptors extends Descriptors, AutoCloseable permits CachedDescriptors, DescriptorFile {

    @Override
    void close();
}
