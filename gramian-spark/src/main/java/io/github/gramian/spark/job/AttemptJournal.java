package io.github.gramian.spark.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Which images the attempts at one shard were processing when they died. Before a task touches images it leaves an empty
 * file whose name identifies them; afterwards it deletes the file. A file that an earlier attempt left therefore names
 * the images that were in work when its JVM ended: a batch of them becomes suspect, and suspects are read one by one; an
 * image that was being read by itself is counted as the cause.
 *
 * <p>Only one attempt at a shard may run at a time, so Spark's speculation must be off.
 */
final class AttemptJournal {

    private static final Pattern NOTE = Pattern.compile("([0-9a-f-]{36})\\.(batch|alone)\\.([0-9]{1,9})-([0-9]{1,9})");

    private final FileSystem files;
    private final Path folder;
    private final String attempt = UUID.randomUUID().toString();
    private final BitSet suspects = new BitSet();
    private final Map<Integer, Integer> deaths = new HashMap<>();

    /** Reads what earlier attempts left in the folder of this shard. */
    AttemptJournal(String folder, Configuration hadoop) throws IOException {
        this.folder = new Path(folder);
        this.files = this.folder.getFileSystem(hadoop);
        for (String name : notes()) {
            Matcher note = NOTE.matcher(name);
            if (note.matches()) {
                int from = Integer.parseInt(note.group(3));
                int to = Integer.parseInt(note.group(4));
                suspects.set(from, Math.max(from, to));
                if (note.group(2).equals("alone")) {
                    deaths.merge(from, 1, Integer::sum);
                }
            }
        }
    }

    /** Whether the image at this position was in work when an attempt died. */
    boolean isSuspect(int position) {
        return suspects.get(position);
    }

    /** How many attempts died while they read the image at this position, and no other. */
    int deaths(int position) {
        return deaths.getOrDefault(position, 0);
    }

    /** The position after the longest batch that begins here and contains no suspect. */
    int endOfBatch(int from, int most) {
        int suspect = suspects.nextSetBit(from);
        return suspect < 0 ? from + most : Math.min(from + most, suspect);
    }

    /** Notes that a batch is in work, until the note is closed. */
    Note batch(int from, int to) throws IOException {
        return note("batch", from, to);
    }

    /** Notes that an image is in work while its JVM does nothing else. */
    Note alone(int position) throws IOException {
        return note("alone", position, position + 1);
    }

    /** A note that lies in the folder until it is closed; a process that dies before that leaves it. */
    interface Note extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    private Note note(String kind, int from, int to) throws IOException {
        Path file = new Path(folder, attempt + "." + kind + "." + from + "-" + to);
        files.create(file, true).close();
        return () -> files.delete(file, false);
    }

    private List<String> notes() throws IOException {
        List<String> names = new ArrayList<>();
        if (files.exists(folder)) {
            for (FileStatus file : files.listStatus(folder)) {
                names.add(file.getPath().getName());
            }
        }
        return names;
    }
}
