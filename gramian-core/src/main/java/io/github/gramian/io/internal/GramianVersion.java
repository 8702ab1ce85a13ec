package io.github.gramian.io.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Gramian's version, as models, exported files, the command line and the server state it: all modules are built at once. */
public final class GramianVersion {

    /** The version of classes that were not packed into a jar. */
    public static final String UNPACKAGED = "unpackaged";

    /** The commit of a build without a repository. */
    public static final String UNKNOWN = "unknown";

    private static final int SHORT = 10;

    private GramianVersion() {}

    /** From the manifest of this jar. */
    public static String text() {
        String packaged = GramianVersion.class.getPackage().getImplementationVersion();
        return packaged == null ? UNPACKAGED : packaged;
    }

    /** The commit that was built, in short, and whether files were changed since; the build stores both next to this class. */
    public static String commit() {
        try (InputStream noted = GramianVersion.class.getResourceAsStream("commit.properties")) {
            return noted == null ? UNKNOWN : commit(noted);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static String commit(InputStream noted) throws IOException {
        Properties properties = new Properties();
        properties.load(noted);
        String id = properties.getProperty("git.commit.id", UNKNOWN);
        boolean changed = Boolean.parseBoolean(properties.getProperty("git.dirty"));
        return id.substring(0, Math.min(id.length(), SHORT)) + (changed ? " with changes" : "");
    }
}
