package io.github.gramian.io.internal;

/** Gramian's version, as models, exported files, the command line and the server state it: all modules are built at once. */
public final class GramianVersion {

    /** What classes say that were not packed into a jar. */
    public static final String UNPACKAGED = "unpackaged";

    private GramianVersion() {}

    /** From the manifest of this jar. */
    public static String text() {
        String packaged = GramianVersion.class.getPackage().getImplementationVersion();
        return packaged == null ? UNPACKAGED : packaged;
    }
}
