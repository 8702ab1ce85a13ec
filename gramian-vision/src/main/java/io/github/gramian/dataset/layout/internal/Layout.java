package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.DividedDataset.Listing;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.Protocol.Validation;
import io.github.gramian.dataset.internal.SplitRule.FewPerClass;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How the files of a dataset lie in folders and lists: those of a published dataset, a folder for each class, folders for
 * training and test, or a CSV file. It knows such a tree when it sees one and reads its images with their labels.
 */
public abstract sealed class Layout
        permits BenchmarkLayouts.Dtd,
                BenchmarkLayouts.Cub,
                BenchmarkLayouts.Aircraft,
                BenchmarkLayouts.KthTips2b,
                BenchmarkLayouts.KthTips,
                BenchmarkLayouts.Fmd,
                OwnLayouts.ClassFolders,
                OwnLayouts.SplitTree,
                OwnLayouts.Manifest {

    /** How large the dataset is as its authors publish it. */
    public record OfficialSize(int classes, int images) {}

    private final String name;
    private final String title;
    private final @Nullable OfficialSize officialSize;
    private final List<Protocol> protocols;

    /**
     * @param officialSize the size that a complete copy has; null for layouts that are not one dataset
     * @param protocols {@code standard} first, {@code paper} second
     */
    Layout(String name, String title, @Nullable OfficialSize officialSize, List<Protocol> protocols) {
        this.name = name;
        this.title = title;
        this.officialSize = officialSize;
        this.protocols = List.copyOf(protocols);
    }

    /** Its name on the command line and in evaluation protocols. */
    public final String name() {
        return name;
    }

    /** Its name for people. */
    public final String title() {
        return title;
    }

    /** Why this root is not such a tree and what was expected; empty if it looks like one. */
    public abstract Optional<String> complaint(Path root);

    /** Reads the tree. Image files themselves are not opened: a broken one is found when it is decoded. */
    public abstract Listing list(Path root);

    /** Its evaluation protocols; {@code standard} first, {@code paper} second. */
    public final List<Protocol> protocols() {
        return protocols;
    }

    public final Optional<OfficialSize> officialSize() {
        return Optional.ofNullable(officialSize);
    }

    /** What to do if it was recognised by mistake. */
    public final String ifAnother() {
        return "If the images are not " + title() + ", add --dataset folders";
    }

    /** Names of the folders that would be classes if they held an image. */
    public List<String> emptyClasses(Path root) {
        return List.of();
    }

    /** The folder that the samples' paths start from. */
    public Path base(Path root) {
        return root;
    }

    /** The protocol of this name, or whose split rule has this name; {@code few-N} of every layout. */
    public Protocol protocol(String wanted) {
        if (wanted.matches("few-[0-9]{1,6}")) {
            return few(Integer.parseInt(wanted.substring("few-".length())));
        }
        return protocols().stream()
                .filter(protocol ->
                        protocol.name().equals(wanted) || protocol.rule().name().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new DatasetException(name() + " has no protocol '" + wanted + "'; use one of "
                        + protocols().stream()
                                .map(protocol -> protocol.name() + " (" + protocol.summary() + ")")
                                .collect(Collectors.joining(", "))
                        + ", few-N (N training images of each class, the standard test images)"));
    }

    /** The standard protocol with this number of training images per class, from which validation images are held out. */
    private Protocol few(int images) {
        return new Protocol(
                "few-" + images,
                new FewPerClass(protocols().get(0).rule(), images),
                new Validation.Unchanged(),
                images + " training images of each class, the standard test images");
    }

    /** The standard protocol's split, with the validation images left as the files have them: what was released. */
    public Protocol released() {
        Protocol standard = protocols().get(0);
        return new Protocol("released", standard.rule(), new Validation.Unchanged(), "as the files have it");
    }

    /** Reads and divides a dataset; a root that is none is refused with advice. */
    public DividedDataset open(Path root, Protocol protocol, int splitNumber, Seed seed) {
        return open(root, protocol, splitNumber, seed, null);
    }

    /**
     * Reads and divides a dataset without dividing a group.
     *
     * @param groups a regular expression whose first capture group, matched against the path of an image, names its group;
     *     null for the groups that the layout names
     */
    public DividedDataset open(Path root, Protocol protocol, int splitNumber, Seed seed, @Nullable String groups) {
        Layouts.require(this, root);
        Listing listing = list(root);
        return DividedDataset.divide(
                name(), base(root), groups == null ? listing : listing.groupedBy(groups), protocol, splitNumber, seed);
    }
}
