package io.github.gramian.serve.decoding.internal;

import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.serve.batch.internal.TooLateException;
import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.protocol.internal.ImageInput;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The images of one request while they are decoded, on several threads. The request may be answered earlier, because its
 * deadline has passed or another image of it is broken: then decoders stop as soon as they can. The model remains leased until
 * the request has been answered and the last decoder has stopped.
 */
final class DecodingRequest {

    private final Lease lease;
    private final List<ImageInput> images;
    private final ImageDecoder decoder;
    private final LongConsumer decodeNanos;
    private final CompletableFuture<List<PreparedImage>> all = new CompletableFuture<>();
    private final @Nullable PreparedImage[] prepared;
    private int missing;
    private long nanos;

    /** Decoders that run, and 1 for the request itself. */
    private int users = 1;

    /** @param decodeNanos gets the time of all decoders together, once all images are decoded */
    DecodingRequest(Lease lease, List<ImageInput> images, ImageDecoder decoder, LongConsumer decodeNanos) {
        this.lease = lease;
        this.images = images;
        this.decoder = decoder.cancelledBy(all::isDone);
        this.decodeNanos = decodeNanos;
        this.prepared = new PreparedImage[images.size()];
        this.missing = images.size();
    }

    /** All images in the order of the request, or the first failure. */
    CompletableFuture<List<PreparedImage>> images() {
        return all;
    }

    /** Fails unless all images are decoded already. */
    void expire() {
        all.completeExceptionally(new TooLateException(
                "the deadline passed while the images were decoded; send smaller images, or try again later"));
    }

    /** Fails unless all images are decoded already; decoders that have not started do nothing. */
    void fail(Throwable reason) {
        all.completeExceptionally(reason);
    }

    /** Decodes one image; does nothing if the request has been answered. */
    void decode(int place) {
        if (!enter()) {
            return;
        }
        try {
            long start = System.nanoTime();
            PreparedImage image = prepare(images.get(place));
            put(place, image, System.nanoTime() - start);
        } catch (RuntimeException | Error failure) {
            all.completeExceptionally(failure);
        } finally {
            leave();
        }
    }

    private PreparedImage prepare(ImageInput image) {
        BatchPredictor predictor = lease.model().predictor();
        PreparedImage one = image instanceof ImageInput.Encoded file
                ? predictor.prepare(file.content(), decoder)
                : predictor.prepare(((ImageInput.Pixels) image).image());
        one.rejected().ifPresent(rejected -> {
            throw rejected.reason() == Rejection.CANCELLED ? new TooLateException() : rejected(rejected);
        });
        return one;
    }

    /** Why an image could not be read. */
    private static RequestException rejected(Decoded.Rejected rejected) {
        int status = switch (rejected.reason()) {
            case TOO_MANY_BYTES, TOO_MANY_PIXELS -> 413;
            case UNKNOWN_FORMAT, UNSUPPORTED, NEEDS_CONVERTER -> 415;
            case OUT_OF_MEMORY -> 503;
            default -> 400;
        };
        return new RequestException(status, "not an image that can be used: " + rejected.sentence());
    }

    private void put(int place, PreparedImage image, long took) {
        synchronized (this) {
            prepared[place] = image;
            nanos += took;
            if (--missing > 0) {
                return;
            }
        }
        decodeNanos.accept(nanos);
        all.complete(Arrays.stream(prepared).map(Objects::requireNonNull).toList());
    }

    private synchronized boolean enter() {
        if (all.isDone()) {
            return false;
        }
        users++;
        return true;
    }

    /** A decoder has stopped, or the request has been answered. */
    void leave() {
        synchronized (this) {
            if (--users > 0) {
                return;
            }
        }
        lease.close();
    }
}
