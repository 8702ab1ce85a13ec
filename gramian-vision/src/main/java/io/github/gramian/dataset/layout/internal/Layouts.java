package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.internal.SkippedFiles;
import io.github.gramian.dataset.layout.internal.BenchmarkLayouts.Aircraft;
import io.github.gramian.dataset.layout.internal.BenchmarkLayouts.Cub;
import io.github.gramian.dataset.layout.internal.BenchmarkLayouts.Dtd;
import io.github.gramian.dataset.layout.internal.BenchmarkLayouts.Fmd;
import io.github.gramian.dataset.layout.internal.BenchmarkLayouts.KthTips;
import io.github.gramian.dataset.layout.internal.BenchmarkLayouts.KthTips2b;
import io.github.gramian.dataset.layout.internal.ImageTree.LinkRule;
import io.github.gramian.dataset.layout.internal.OwnLayouts.ClassFolders;
import io.github.gramian.dataset.layout.internal.OwnLayouts.Manifest;
import io.github.gramian.dataset.layout.internal.OwnLayouts.SplitTree;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.io.internal.Text;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Finds the {@link Layout} of a dataset, by its name or by looking at a folder, and advises where none fits. */
public final class Layouts {

    /** The most specific first, so that the first that fits is the correct one. */
    private static final List<Layout> ALL = List.of(
            new Dtd(),
            new Cub(),
            new Aircraft(Aircraft.Level.VARIANT),
            new Aircraft(Aircraft.Level.FAMILY),
            new Aircraft(Aircraft.Level.MANUFACTURER),
            new KthTips2b(),
            new KthTips(),
            new Fmd(),
            new SplitTree(),
            new Manifest(),
            new ClassFolders());

    private Layouts() {}

    public static List<Layout> all() {
        return ALL;
    }

    /** The layout of this name; {@code aircraft} stands for its variants. */
    public static Layout named(String name) {
        String wanted = name.toLowerCase(Locale.ROOT);
        return ALL.stream()
                .filter(layout ->
                        layout.name().equals(wanted) || (layout instanceof Aircraft && wanted.equals("aircraft")))
                .findFirst()
                .orElseThrow(() -> new DatasetException("no dataset is called '" + name + "'; use one of "
                        + ALL.stream().map(Layout::name).collect(Collectors.joining(", "))));
    }

    /** The layout that a root has. Part of a known dataset is refused: its splits stand one level up. */
    public static Layout detect(Path root) {
        requireReadable(root);
        Layout layout = fitting(root)
                .orElseThrow(() -> new DatasetException(root + " has none of the known layouts"
                        + elsewhere(ALL, root)
                        + "; expected the tree of a known dataset, one directory per class, train/ and test/ directories of "
                        + "these, or a manifest.csv with the columns path,label,split"));
        String above = layout.officialSize().isEmpty() ? oneLevelUp(ALL, root) : "";
        if (!above.isEmpty()) {
            throw new DatasetException(root + " looks like a part of a dataset" + above
                    + "; give that root, or add --dataset " + layout.name() + " if this part is meant");
        }
        return layout;
    }

    /** Throws, with advice, if a root is not of this layout. */
    public static void require(Layout layout, Path root) {
        requireReadable(root);
        Optional<String> complaint = layout.complaint(root);
        if (complaint.isEmpty()) {
            return;
        }
        String advice = elsewhere(List.of(layout), root);
        if (advice.isEmpty()) {
            advice = fitting(root)
                    .map(other -> "; this looks like " + other.title() + ", so use --dataset " + other.name())
                    .orElse("");
        }
        throw new DatasetException(root + " is not a root of " + layout.title() + ": " + complaint.get() + advice);
    }

    /** Whether a dataset is a directory of images without directories of classes, so that its only class has no real name. */
    public static boolean isFlat(Dataset dataset) {
        return dataset.name().equals(new ClassFolders().name())
                && !dataset.samples().get(0).path().contains("/");
    }

    /** A note on a dataset of one class, with the way to several classes. */
    public static Optional<String> oneClass(Dataset dataset) {
        return dataset.classes().size() > 1
                ? Optional.empty()
                : Optional.of("there is only one class, '" + dataset.classes().get(0)
                        + "', so the model distinguishes known from unknown images; to train a classifier, "
                        + wayToClasses(dataset));
    }

    private static String wayToClasses(Dataset dataset) {
        Path root = dataset.root().toAbsolutePath().normalize();
        Path above = root.getParent();
        if (isFlat(dataset) && above != null) {
            long folders = ImageTree.folders(above).stream()
                    .filter(folder -> ClassFolders.looseImages(folder) > 0)
                    .count();
            return folders > 1
                    ? "name the directory above it: " + above
                    : "put the images of each class into a separate directory";
        }
        List<String[]> paths = dataset.samples().stream()
                .map(sample -> sample.path().split("/"))
                .toList();
        long deeper = paths.stream()
                .filter(path -> path.length > 2)
                .map(path -> path[1])
                .distinct()
                .count();
        return deeper > 1
                ? "name the directory of the classes, such as " + root.resolve(paths.get(0)[0])
                : "add images of other classes";
    }

    /** A note on images next to directories of classes: they have no class, so they are not used. */
    public static Optional<String> withoutClass(Dataset dataset) {
        boolean folders = dataset.name().equals(new ClassFolders().name()) && !isFlat(dataset);
        long loose = folders ? ClassFolders.looseImages(dataset.root()) : 0;
        return loose == 0
                ? Optional.empty()
                : Optional.of(Text.count(loose, "image") + " directly in " + dataset.root()
                        + " and in no directory of a class " + (loose == 1 ? "is" : "are") + " not used");
    }

    /** A note on images that were taken for a known dataset and differ from it in size. */
    public static Optional<String> incomplete(Dataset dataset) {
        Layout layout = named(dataset.name());
        int classes = dataset.classes().size();
        int images = dataset.samples().size();
        return layout.officialSize()
                .filter(size -> classes != size.classes() || images != size.images())
                .map(size -> "this is not the complete dataset " + layout.title() + ": " + classes + " of "
                        + size.classes() + " classes, " + images + " of " + size.images()
                        + " images; its scores are not comparable with published ones. " + layout.ifAnother());
    }

    private static void requireReadable(Path root) {
        if (!Files.exists(root)) {
            throw new DatasetException(root + " does not exist; give the directory that the dataset was unpacked to");
        }
        if (!Files.isReadable(root)) {
            throw new DatasetException(root + " cannot be read; check its permissions");
        }
    }

    private static Optional<Layout> fitting(Path root) {
        return ALL.stream().filter(layout -> layout.complaint(root).isEmpty()).findFirst();
    }

    /** Looks one level up and one level down for a root that fits. */
    private static String elsewhere(List<Layout> layouts, Path root) {
        String above = oneLevelUp(layouts, root);
        return above.isEmpty() ? oneLevelDown(layouts, root) : above;
    }

    private static String oneLevelUp(List<Layout> layouts, Path root) {
        Path above = root.toAbsolutePath().normalize().getParent();
        return above == null ? "" : known(layouts, List.of(above), "up");
    }

    private static String oneLevelDown(List<Layout> layouts, Path root) {
        return known(layouts, ImageTree.folders(root), "down");
    }

    /** Any folder of class folders stands in some other folder: layouts that are not one dataset give no hint here. */
    private static String known(List<Layout> layouts, List<Path> candidates, String direction) {
        for (Layout layout : layouts) {
            for (Path candidate : candidates) {
                if (layout.officialSize().isPresent()
                        && layout.complaint(candidate).isEmpty()) {
                    return "; a root of " + layout.title() + " is one level " + direction + ": " + candidate;
                }
            }
        }
        return "";
    }

    /** Images without labels: the files below a folder that are images by their names, sorted; hidden ones are ignored. */
    public static List<Path> images(Path folder) {
        return images(folder, sentence -> {});
    }

    /**
     * The same, with sentences about what was left out: links that were not followed, and files in image formats that Gramian
     * does not read, such as raw formats.
     *
     * @param notes receives each sentence
     */
    public static List<Path> images(Path folder, Consumer<String> notes) {
        ImageTree.Found found = ImageTree.below(folder, folder, LinkRule.of(folder, List.of()));
        SkippedFiles.links(folder, found.others()).ifPresent(notes);
        SkippedFiles.formats(found.others()).ifPresent(notes);
        return found.images().stream()
                .map(image -> FileNames.within(folder, image))
                .toList();
    }
}
