package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset.Listing;
import io.github.gramian.io.internal.ParallelWork;
import io.github.gramian.io.internal.Sha256;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    /**
     * Test images whose bytes equal those of a training or validation image. A model has seen such images before the test.
     *
     * @param ofTraining paths of the test images that equal a training image
     * @param ofValidation paths of the other test images that equal a validation image
     */
    public record Twins(List<String> ofTraining, List<String> ofValidation) {

        public Twins {
            ofTraining = List.copyOf(ofTraining);
            ofValidation = List.copyOf(ofValidation);
        }

        /**
         * Finds the twins of a dataset's split.
         *
         * @param sums SHA-256 of each file, in the order of the dataset's samples; empty for a file that cannot be read, which
         *     is not a twin of any other
         */
        public static Twins of(Dataset dataset, List<Optional<String>> sums) {
            Map<String, String> sumOfId = new HashMap<>();
            for (int i = 0; i < sums.size(); i++) {
                String id = dataset.samples().get(i).id();
                sums.get(i).ifPresent(sum -> sumOfId.put(id, sum));
            }
            Set<String> training = contents(dataset, Split.TRAIN, sumOfId);
            Set<String> validation = contents(dataset, Split.VALIDATION, sumOfId);
            List<String> ofTraining = new ArrayList<>();
            List<String> ofValidation = new ArrayList<>();
            for (Sample sample : dataset.samples(Split.TEST)) {
                String sum = sumOfId.get(sample.id());
                if (sum != null && training.contains(sum)) {
                    ofTraining.add(sample.path());
                } else if (sum != null && validation.contains(sum)) {
                    ofValidation.add(sample.path());
                }
            }
            return new Twins(ofTraining, ofValidation);
        }

        private static Set<String> contents(Dataset dataset, Split split, Map<String, String> sumOfId) {
            Set<String> contents = new HashSet<>();
            for (Sample sample : dataset.samples(split)) {
                String sum = sumOfId.get(sample.id());
                if (sum != null) {
                    contents.add(sum);
                }
            }
            return contents;
        }

        /** Number of test images that have a twin. */
        public int count() {
            return ofTraining.size() + ofValidation.size();
        }

        /** Paths of all test images that have a twin. */
        public Set<String> paths() {
            Set<String> paths = new HashSet<>(ofTraining);
            paths.addAll(ofValidation);
            return paths;
        }
    }
}
