package io.github.gramian.similar.index.internal;

import io.github.gramian.dataset.inspect.internal.SamePicture;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.io.internal.ParallelWork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * Photographs of an index that show the same. Candidates are neighbours whose descriptors are similar; pixels of both files must
 * confirm a candidate.
 */
public final class Duplicates {

    /** Candidates of a photograph: copies beyond these are found through other copies. */
    private static final int NEIGHBOURS = 8;

    /** Low, since pixels decide: a larger value lost cropped copies, and found no wrong pair less. */
    private static final float MIN_SIMILARITY = 0.1f;

    /** The shorter side of a decoded picture, which thumbnails are made of. */
    private static final int SIDE = 192;

    /** Pairs whose pictures are in memory together. */
    private static final int CHUNK = 2000;

    private final VectorIndex index;
    private final Path root;
    private final int threads;
    private final ImageDecoder decoder = ImageDecoder.forLocalFiles();

    public Duplicates(VectorIndex index, int threads) throws IOException {
        this.index = index;
        this.root = FileNames.path(index.note().root());
        this.threads = threads;
    }

    /**
     * Two photographs that show the same.
     *
     * @param identical whether the files have the same bytes
     * @param correlation of their pixels, where they overlap
     */
    public record Pair(String file, String other, boolean identical, double correlation) {}

    private record Candidate(Photo one, Photo other) {}

    /**
     * All pairs, by path.
     *
     * @param progress receives the number of photographs that were compared
     */
    public List<Pair> find(LongConsumer progress) throws IOException {
        List<Candidate> near = candidates(progress);
        List<Pair> pairs = new ArrayList<>();
        for (int from = 0; from < near.size(); from += CHUNK) {
            pairs.addAll(confirmed(near.subList(from, Math.min(near.size(), from + CHUNK))));
        }
        pairs.sort(Comparator.comparing(Pair::file).thenComparing(Pair::other));
        return pairs;
    }

    private List<Candidate> candidates(LongConsumer progress) throws IOException {
        Map<String, Candidate> found = new HashMap<>();
        List<Photo> photos = new ArrayList<>();
        index.eachPhoto(photos::add);
        long[] done = {0};
        List<List<Candidate>> all = ParallelWork.map(photos, threads, photo -> {
            List<Candidate> own = neighbours(photo);
            synchronized (done) {
                progress.accept(++done[0]);
            }
            return own;
        });
        for (List<Candidate> own : all) {
            for (Candidate candidate : own) {
                found.putIfAbsent(
                        candidate.one().path() + '\0' + candidate.other().path(), candidate);
            }
        }
        return found.values().stream()
                .sorted(Comparator.comparing((Candidate pair) -> pair.one().path())
                        .thenComparing(pair -> pair.other().path()))
                .toList();
    }

    private List<Candidate> neighbours(Photo photo) {
        try {
            Optional<float[]> vector = index.vectorOfPath(photo.path());
            if (vector.isEmpty()) {
                return List.of();
            }
            return index.search(vector.get(), NEIGHBOURS + 1, null).stream()
                    .filter(near -> near.similarity() >= MIN_SIMILARITY)
                    .map(VectorIndex.Neighbour::photo)
                    .filter(other -> !other.path().equals(photo.path()))
                    .map(other -> photo.path().compareTo(other.path()) < 0
                            ? new Candidate(photo, other)
                            : new Candidate(other, photo))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Pair> confirmed(List<Candidate> candidates) {
        List<String> files = new ArrayList<>(new TreeSet<>(candidates.stream()
                .filter(pair -> !isIdentical(pair))
                .flatMap(pair -> List.of(pair.one().path(), pair.other().path()).stream())
                .toList()));
        List<Optional<SamePicture>> decoded = ParallelWork.map(files, threads, this::picture);
        Map<String, SamePicture> pictures = new HashMap<>();
        for (int i = 0; i < files.size(); i++) {
            String file = files.get(i);
            decoded.get(i).ifPresent(picture -> pictures.put(file, picture));
        }
        return ParallelWork.map(candidates, threads, pair -> pair(pair, pictures)).stream()
                .flatMap(Optional::stream)
                .toList();
    }

    private static boolean isIdentical(Candidate pair) {
        return pair.one().sha256().equals(pair.other().sha256());
    }

    private static Optional<Pair> pair(Candidate pair, Map<String, SamePicture> pictures) {
        String one = pair.one().path();
        String other = pair.other().path();
        if (isIdentical(pair)) {
            return Optional.of(new Pair(one, other, true, 1));
        }
        SamePicture first = pictures.get(one);
        SamePicture second = pictures.get(other);
        if (first == null || second == null) {
            return Optional.empty();
        }
        double correlation = first.correlation(second);
        return correlation >= SamePicture.MIN_CORRELATION
                ? Optional.of(new Pair(one, other, false, correlation))
                : Optional.empty();
    }

    /** Empty if the file is gone, or not an image any more. */
    private Optional<SamePicture> picture(String path) {
        return decoder.decode(
                                FileNames.within(root, path),
                                (width, height) -> Reduction.leaving(width, height, SIDE, SIDE))
                        instanceof Decoded.Picture picture
                ? Optional.of(SamePicture.of(picture.image()))
                : Optional.empty();
    }
}
