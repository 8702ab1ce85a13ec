package io.github.gramian.serve.protocol.internal;

import io.github.gramian.image.codec.RgbImage;

/** One image of a request. */
public sealed interface ImageInput {

    /** A file's content, to be decoded. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
    record Encoded(byte[] content) implements ImageInput {}

    record Pixels(RgbImage image) implements ImageInput {}
}
