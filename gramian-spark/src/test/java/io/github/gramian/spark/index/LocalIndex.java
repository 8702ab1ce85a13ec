package io.github.gramian.spark.index;

import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.PartBuild;
import io.github.gramian.similar.index.internal.Photo;
import io.github.gramian.similar.index.internal.PhotoSearch;
import io.github.gramian.similar.vector.internal.Reduction;
import io.github.gramian.spark.job.PlantedTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;

/** One index of all images of a table, and exact search among them, to compare an index with parts with. */
public final class LocalIndex {

    private static final int TOP = 10;

    private final PlantedTable table;
    private final Reduction reduction;
    private final Path local;
    private final List<float[]> vectors = new ArrayList<>();

    private LocalIndex(PlantedTable table, Reduction reduction, Path local) {
        this.table = table;
        this.reduction = reduction;
        this.local = local;
        for (int i = 0; i < table.count(); i++) {
            vectors.add(reduction.apply(table.descriptor(i)));
        }
    }

    /** Builds the index with the reduction of an index with parts. */
    public static LocalIndex of(PlantedTable table, Path parts, Path local) throws IOException {
        PhotoSearch.Opened opened = PhotoSearch.Opened.of(parts);
        opened.photos().close();
        Manifest common = opened.settings().manifest();
        byte[] reduction = Files.readAllBytes(parts.resolve("reduction.safetensors"));
        try (PartBuild build = PartBuild.in(local, common, reduction, "")) {
            for (int i = 0; i < table.count(); i++) {
                build.add(new Photo(table.name(i), "", 0, 0), table.descriptor(i));
            }
            build.finish();
        }
        return new LocalIndex(table, opened.settings().reduction(), local);
    }

    /** Recall at ten of exact search, of the index with parts and of the local one. */
    public record Recalls(double parts, double local) {}

    /** Compares both indexes on drawn queries. */
    public Recalls recalls(Path parts, int queries) throws IOException {
        int inParts = 0;
        int inLocal = 0;
        try (PhotoSearch many = PhotoSearch.Opened.of(parts).photos();
                PhotoSearch one = PhotoSearch.Opened.of(local).photos()) {
            for (int i = 0; i < queries; i++) {
                float[] query = reduction.apply(PlantedTable.query(i));
                Set<String> exact = exact(query);
                inParts += found(many, query, exact);
                inLocal += found(one, query, exact);
            }
        }
        return new Recalls((double) inParts / queries / TOP, (double) inLocal / queries / TOP);
    }

    private static int found(PhotoSearch index, float[] query, Set<String> exact) throws IOException {
        Set<String> names = new HashSet<>();
        index.search(query, TOP, null).forEach(near -> names.add(near.photo().path()));
        names.retainAll(exact);
        return names.size();
    }

    private Set<String> exact(float[] query) {
        double[] products =
                vectors.stream().mapToDouble(vector -> dot(query, vector)).toArray();
        Set<String> names = new HashSet<>();
        IntStream.range(0, products.length)
                .boxed()
                .sorted(Comparator.comparing(i -> -products[i]))
                .limit(TOP)
                .forEach(i -> names.add(table.name(i)));
        return names;
    }

    private static double dot(float[] one, float[] other) {
        double sum = 0;
        for (int i = 0; i < one.length; i++) {
            sum += one[i] * other[i];
        }
        return sum;
    }

    /** Names of all photographs in all parts that the manifest lists, sorted; what is there twice is listed twice. */
    public static List<String> names(Path parts) throws IOException {
        List<String> names = new ArrayList<>();
        Manifest manifest = Manifest.parseParts(Files.readAllBytes(parts.resolve(Manifest.PARTS)));
        for (Manifest.Part part : manifest.parts()) {
            try (Directory lucene = FSDirectory.open(parts.resolve(part.name()).resolve("lucene"));
                    DirectoryReader reader = DirectoryReader.open(lucene)) {
                for (int i = 0; i < reader.maxDoc(); i++) {
                    names.add(reader.storedFields().document(i).get("path"));
                }
            }
        }
        Collections.sort(names);
        return names;
    }
}
