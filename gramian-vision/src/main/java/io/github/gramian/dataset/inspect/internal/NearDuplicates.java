package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.inspect.internal.Inspector.FileReport;
import io.github.gramian.dataset.inspect.internal.PerceptualHash.HammingIndex;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.io.internal.ParallelWork;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Test images that show a training or validation image again, though their bytes differ. Candidates agree in all but a few
 * bits of their {@link PerceptualHash}; a candidate counts only if 64×64 thumbnails, made again from both files, correlate
 * strongly: regular textures often share their lowest frequencies, but not their details.
 */
final class NearDuplicates {

    private static final int DETAIL = 64;

    /** See docs/datasets.md for what this number finds and misses. */
    private static final double MIN_CORRELATION = 0.95;

    /** The most pairs that are listed for a test image. */
    private static final int MAX_CANDIDATES = 8;

    private record Candidate(Sample seen, Sample tested, int bits) {}

    private final Dataset dataset;
    private final ImageDecoder decoder;

    NearDuplicates(Dataset dataset, ImageDecoder decoder) {
        this.dataset = dataset;
        this.decoder = decoder;
    }

    /** The pairs, by the path of the test image. */
    List<Inspection.NearPair> find(Map<String, FileReport> reports, int threads) {
        List<Sample> seen = new ArrayList<>(hashed(dataset.samples(Split.TRAIN), reports));
        seen.addAll(hashed(dataset.samples(Split.VALIDATION), reports));
        HammingIndex index = new HammingIndex(
                seen.stream().mapToLong(sample -> hash(sample, reports)).toArray());
        List<Candidate> candidates = new ArrayList<>();
        for (Sample tested : hashed(dataset.samples(Split.TEST), reports)) {
            for (HammingIndex.Neighbour near : index.near(hash(tested, reports), MAX_CANDIDATES)) {
                Sample other = seen.get(near.position());
                if (differ(other, tested, reports)) {
                    candidates.add(new Candidate(other, tested, near.distance()));
                }
            }
        }
        return confirmed(candidates, threads, Inspection.NearPair::new).stream()
                .sorted(Comparator.comparing(Inspection.NearPair::test).thenComparing(Inspection.NearPair::seen))
                .toList();
    }

    /** All pairs, of every split, by path. Files with the same bytes are not among them. */
    List<Inspection.Copies> findAll(Map<String, FileReport> reports, int threads) {
        List<Sample> all = hashed(dataset.samples(), reports);
        HammingIndex index = new HammingIndex(
                all.stream().mapToLong(sample -> hash(sample, reports)).toArray());
        List<Candidate> candidates = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            Sample first = all.get(i);
            // The image itself is among its neighbours.
            for (HammingIndex.Neighbour near : index.near(hash(first, reports), MAX_CANDIDATES + 1)) {
                Sample second = all.get(near.position());
                if (near.position() > i && differ(first, second, reports)) {
                    candidates.add(new Candidate(first, second, near.distance()));
                }
            }
        }
        Finding<Inspection.Copies> finding =
                (first, second, bits, correlation) -> new Inspection.Copies(first, second, correlation);
        return confirmed(candidates, threads, finding).stream()
                .sorted(Comparator.comparing(Inspection.Copies::first).thenComparing(Inspection.Copies::second))
                .toList();
    }

    /** What is reported of two images that show the same. */
    private interface Finding<T> {
        T of(String seen, String tested, int bits, double correlation);
    }

    /** The candidates that show the same. */
    private <T> List<T> confirmed(List<Candidate> candidates, int threads, Finding<T> finding) {
        return ParallelWork.map(
                        candidates,
                        threads,
                        candidate -> correlation(candidate)
                                .map(correlation -> finding.of(
                                        candidate.seen().path(),
                                        candidate.tested().path(),
                                        candidate.bits(),
                                        correlation)))
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /** How strongly the details of two images correlate; empty if they do not show the same. */
    private Optional<Double> correlation(Candidate candidate) {
        Optional<GreyThumbnail> one = thumbnail(candidate.seen());
        Optional<GreyThumbnail> other = thumbnail(candidate.tested());
        return one.isEmpty() || other.isEmpty()
                ? Optional.empty()
                : Optional.of(one.get().correlation(other.get())).filter(correlation -> correlation >= MIN_CORRELATION);
    }

    private Optional<GreyThumbnail> thumbnail(Sample sample) {
        return decoder.decode(dataset.file(sample)) instanceof Decoded.Picture picture
                ? Optional.of(GreyThumbnail.of(picture.image(), DETAIL))
                : Optional.empty();
    }

    /** Whether the bytes of two files differ. */
    private static boolean differ(Sample one, Sample other, Map<String, FileReport> reports) {
        return !report(one, reports).sha256().equals(report(other, reports).sha256());
    }

    private static List<Sample> hashed(List<Sample> samples, Map<String, FileReport> reports) {
        return samples.stream()
                .filter(sample -> report(sample, reports).hash().isPresent())
                .toList();
    }

    private static long hash(Sample sample, Map<String, FileReport> reports) {
        return report(sample, reports).hash().orElseThrow();
    }

    private static FileReport report(Sample sample, Map<String, FileReport> reports) {
        FileReport report = reports.get(sample.id());
        if (report == null) {
            throw new IllegalStateException("no report on " + sample.path());
        }
        return report;
    }
}
