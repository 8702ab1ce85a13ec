package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.io.internal.ParallelWork;
import io.github.gramian.io.internal.Sha256;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The content hash of a dataset: SHA-256 over a line {@code path NUL sha256-of-the-file NUL class LF} for each
 * sample in the order of the paths. A file that cannot be read has {@code -} for its hash. Two copies with equal hashes
 * hold the same images under the same names with the same labels, whatever the split.
 *
 * @param sha256 in lower-case hexadecimal
 * @param unreadable paths of the samples that could not be read
 */
public record ContentHash(String sha256, List<String> unreadable) {

    /** Called after each file with the number done and the total; calls come from several threads. */
    @FunctionalInterface
    public interface Progress {
        void done(int files, int total);

        /** Does nothing. */
        static Progress silent() {
            return (files, total) -> {};
        }
    }

    public ContentHash {
        unreadable = List.copyOf(unreadable);
    }

    /** Reads every file of the dataset, several at a time. */
    public static ContentHash of(Dataset dataset, int threads, Progress progress) {
        return of(DividedDataset.of(dataset).listing(), sums(dataset, threads, progress));
    }

    /** The SHA-256 of every file of the dataset, in the order of its samples; empty for a file that cannot be read. */
    public static List<Optional<String>> sums(Dataset dataset, int threads, Progress progress) {
        List<Sample> samples = dataset.samples();
        AtomicInteger done = new AtomicInteger();
        return ParallelWork.map(samples, threads, sample -> {
            Optional<String> sum = ofFile(dataset.file(sample));
            progress.done(done.incrementAndGet(), samples.size());
            return sum;
        });
    }

    /** From the files' hashes, in the order of the listing; empty for a file that cannot be read. */
    public static ContentHash of(Listing listing, List<Optional<String>> sums) {
        if (sums.size() != listing.samples().size()) {
            throw new IllegalArgumentException("one sum a sample is needed");
        }
        Sha256 digest = new Sha256();
        List<String> unreadable = new ArrayList<>();
        for (int i = 0; i < sums.size(); i++) {
            Sample sample = listing.samples().get(i);
            if (sums.get(i).isEmpty()) {
                unreadable.add(sample.path());
            }
            String line = sample.path()
                    + '\0'
                    + sums.get(i).orElse("-")
                    + '\0'
                    + listing.classes().get(sample.label())
                    + '\n';
            digest.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
        }
        return new ContentHash(digest.hex(), unreadable);
    }

    /** SHA-256 of a file in hexadecimal, read piece by piece; empty if it is not a regular file or cannot be read. */
    public static Optional<String> ofFile(Path file) {
        // Opening a pipe would wait for its other end for ever.
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Sha256().add(file).hex());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
