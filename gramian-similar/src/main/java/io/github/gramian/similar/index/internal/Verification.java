package io.github.gramian.similar.index.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.apache.lucene.codecs.CodecUtil;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.store.ChecksumIndexInput;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.MMapDirectory;

/**
 * Every byte of an index compared with its checksums. Lucene compares most of them only when it merges, so that opening an index of
 * any size stays fast.
 *
 * @param files that were compared
 * @param bytes of these files
 * @param problems one sentence per damaged file
 */
public record Verification(int files, long bytes, List<String> problems) {

    public Verification {
        problems = List.copyOf(problems);
    }

    /** Reads all files of an index, or of all its parts. */
    public static Verification of(IndexFolder folder) throws IOException {
        return Manifest.hasParts(folder.path()) ? ofParts(folder) : ofOne(folder);
    }

    private static Verification ofParts(IndexFolder folder) throws IOException {
        List<String> problems = new ArrayList<>();
        int files = 2;
        long bytes = 0;
        try {
            Manifest manifest = Manifest.readParts(folder.path());
            folder.settings(manifest);
            for (Manifest.Part part : manifest.parts()) {
                Path path = folder.path().resolve(part.name());
                if (!Files.isDirectory(path)) {
                    problems.add(path + " is missing; copy it again, or build the index again");
                    continue;
                }
                Manifest.PartFiles found = Manifest.PartFiles.of(path);
                files += found.names().size();
                bytes += found.bytes();
                if (!found.checksum().equals(part.checksum())) {
                    problems.add(path + " differs from what was built, in a name, a length or a byte");
                    problems.addAll(ofOne(new IndexFolder(path)).problems());
                }
            }
        } catch (IndexException damage) {
            problems.add(String.valueOf(damage.getMessage()));
        }
        return new Verification(files, bytes, problems);
    }

    private static Verification ofOne(IndexFolder folder) throws IOException {
        List<String> problems = new ArrayList<>();
        int files = 2;
        long bytes = 0;
        try {
            Manifest manifest = folder.settings().manifest();
            VectorIndex.open(folder, manifest).close();
        } catch (IndexException damage) {
            problems.add(String.valueOf(damage.getMessage()));
        }
        Path lucene = folder.lucene();
        try (Directory directory = new MMapDirectory(lucene)) {
            for (String name : names(directory, lucene, problems)) {
                files++;
                try {
                    bytes += length(directory, name);
                } catch (IOException | RuntimeException damage) {
                    problems.add(lucene.resolve(name) + " is damaged");
                }
            }
        }
        return new Verification(files, bytes, problems);
    }

    /** The files of the latest commit. */
    private static Collection<String> names(Directory directory, Path lucene, List<String> problems) {
        try {
            return new TreeSet<>(SegmentInfos.readLatestCommit(directory).files(true));
        } catch (IOException | RuntimeException damage) {
            problems.add(lucene + " is damaged: the list of its files cannot be read");
            return List.of();
        }
    }

    private static long length(Directory directory, String name) throws IOException {
        try (ChecksumIndexInput file = directory.openChecksumInput(name, IOContext.READONCE)) {
            file.seek(file.length() - CodecUtil.footerLength());
            CodecUtil.checkFooter(file);
            return file.length();
        }
    }
}
