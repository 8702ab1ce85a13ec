package io.github.gramian.spark.shard;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** The files below a folder. */
final class Listing {

    private Listing() {}

    /** Names of the files below a folder that are wanted, relative to it and sorted; hidden ones are left out. */
    static List<String> below(String folder, Configuration hadoop, Predicate<String> wanted) throws IOException {
        Path root = new Path(folder);
        FileSystem files = root.getFileSystem(hadoop);
        Path absolute = files.makeQualified(root);
        String start = absolute.toUri().getPath();
        int skipped = start.endsWith("/") ? start.length() : start.length() + 1;
        List<String> names = new ArrayList<>();
        for (RemoteIterator<LocatedFileStatus> all = files.listFiles(absolute, true); all.hasNext(); ) {
            String path = all.next().getPath().toUri().getPath();
            if (path.length() > skipped) {
                String name = path.substring(skipped);
                if (!isHidden(name) && wanted.test(name)) {
                    names.add(name);
                }
            }
        }
        Collections.sort(names);
        return names;
    }

    /** The whole address of a folder, as the driver understands it. */
    static String qualified(String folder, Configuration hadoop) throws IOException {
        Path path = new Path(folder);
        return path.getFileSystem(hadoop).makeQualified(path).toString();
    }

    /** A file by its name in a listing. (A colon in a name would be taken for a scheme by {@code new Path(folder, name)}.) */
    static Path file(String folder, String name) {
        URI root = new Path(folder).toUri();
        return new Path(root.getScheme(), root.getAuthority(), root.getPath() + "/" + name);
    }

    /** Files and folders that start with a dot or an underscore are not data, as everywhere in Spark. */
    private static boolean isHidden(String name) {
        return name.startsWith(".") || name.startsWith("_") || name.contains("/.") || name.contains("/_");
    }
}
