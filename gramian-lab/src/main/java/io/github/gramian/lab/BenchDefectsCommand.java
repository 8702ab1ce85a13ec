package io.github.gramian.lab;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.cli.Below;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.dense.internal.Calibration;
import io.github.gramian.dense.internal.Surface;
import io.github.gramian.dense.internal.SurfaceFit;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.RgbImage.Window;
import io.github.gramian.image.internal.Resampler;
import io.github.gramian.io.internal.Text;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How well defects are found when only good photographs are known. */
@Command(
        name = "defects",
        description = {
            "Measures how well defects are found when only good photographs are known.",
            "Adds synthetic flaws to photographs of surfaces, and prints how well they are separated from good cells and"
                    + " good photographs, next to PatchCore and PaDiM on the same features. With --draws, also prints"
                    + " the rate of false alarms and the rate of flaws found at the levels 5, 10 and 20 %."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Example:",
            "  gramian bench defects --materials kth-tips-grey/ --textures dtd/images --backbone resnet50.safetensors"
                    + " --good 10,20,40 --json"
        })
@Below("bench")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class BenchDefectsCommand extends LabCommand {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final Resampler RESAMPLER = new Resampler(Interpolation.BILINEAR);
    private static final List<Double> LEVELS = List.of(0.05, 0.1, 0.2);
    private static final String OURS = "Gramian";

    /** Side of a photograph when flaws are drawn, in pixels. */
    private static final int CANVAS = 224;

    /** Every second pixel is judged. */
    private static final int JUDGED = CANVAS / 2;

    @Option(names = "--materials", description = "Directory with one directory of photographs for each material.")
    private @Nullable Path materials;

    @Option(
            names = "--textures",
            required = true,
            description = "Directory of photographs of textures, for foreign textures and for --cut.")
    private Path textures;

    @Option(
            names = "--cut",
            defaultValue = "0",
            description = "Number of textures to use as surfaces, cut into parts (default: ${DEFAULT-VALUE}).")
    private int cut;

    @Option(
            names = "--part",
            defaultValue = "64",
            description = "Side of such a part in the texture, in pixels (default: ${DEFAULT-VALUE}).")
    private int part;

    @Option(names = "--backbone", required = true, description = "Weights file of the backbone.")
    private Path backbone;

    @Option(
            names = "--taps",
            split = ",",
            defaultValue = "res3d,res4f",
            description = "Layers to take features from, the finest one first (default: ${DEFAULT-VALUE}).")
    private List<String> taps;

    @Option(
            names = "--side",
            defaultValue = "448",
            description = "Side of a photograph as the backbone sees it, in pixels (default: ${DEFAULT-VALUE}).")
    private int side;

    @Option(
            names = "--good",
            split = ",",
            defaultValue = "10,20,40",
            description = "Numbers of good photographs to fit to (default: ${DEFAULT-VALUE}).")
    private List<Integer> good;

    @Option(
            names = "--held-out",
            defaultValue = "16",
            description = "Number of other good photographs of each surface, which flaws are added to"
                    + " (default: ${DEFAULT-VALUE}).")
    private int heldOut;

    @Option(
            names = "--flawed",
            defaultValue = "8",
            description = "Number of flawed photographs of each kind and surface (default: ${DEFAULT-VALUE}).")
    private int flawed;

    @Option(
            names = "--rivals",
            defaultValue = "0",
            description = "Number of good photographs for PatchCore and PaDiM; 0 leaves them out (default:"
                    + " ${DEFAULT-VALUE}).")
    private int rivals;

    @Option(
            names = "--draws",
            defaultValue = "0",
            description = "Number of random choices of good photographs per surface (default: ${DEFAULT-VALUE}).")
    private int draws;

    @Option(
            names = "--group",
            description =
                    "Regular expression whose first group is the object in a file name; draws leave out one object.")
    private @Nullable Pattern group;

    /**
     * How well one method finds the flaws of one kind on one surface.
     *
     * @param good number of good photographs that it was fitted to
     * @param pixel area under the ROC curve of pixels
     * @param pro area under the curve of overlap per flaw
     * @param image area under the ROC curve of photographs
     */
    record Found(String surface, String method, int good, String kind, double pixel, double pro, double image) {}

    /**
     * Alarms after one draw of good photographs.
     *
     * @param objects whether the good photographs were drawn by objects
     * @param level promised rate of false alarms
     * @param falseAlarms share of other good photographs with an alarm
     * @param found share of flawed photographs with an alarm; null if none shows an object that was left out
     */
    record Draw(
            String surface,
            int good,
            boolean objects,
            double level,
            double falseAlarms,
            @Nullable Double found) {}

    /** @param milliseconds of processor time per photograph by step or method, on one thread */
    record Report(List<Found> found, List<Draw> draws, Map<String, Double> milliseconds) {}

    /**
     * A photograph with its features.
     *
     * @param object what it shows, for draws by objects
     * @param kind of its flaw; empty for a good one
     * @param mask of the flaw at every second pixel
     * @param maps of all layers, in half precision, until the surface is closed
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    private record Photo(String object, String kind, boolean[] mask, List<Tensor> maps) {

        boolean isGood() {
            return kind.isEmpty();
        }

        List<Tensor> features() {
            return maps.stream().map(FLOAT::place).toList();
        }
    }

    private final List<Found> found = new ArrayList<>();
    private final List<Draw> drawn = new ArrayList<>();
    private final Map<String, List<Double>> times = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException {
        List<Path> files = Layouts.images(textures, note -> stderr().println(note));
        Flaws flaws = new Flaws(files);
        try (Backbone network = WeightsFile.load(
                backbone, BackboneOptions.frozen(Precision.FLOAT).plain())) {
            torch.set_num_threads(1);
            if (materials != null) {
                try (Stream<Path> folders = Files.list(materials)) {
                    for (Path folder :
                            folders.filter(Files::isDirectory).sorted().toList()) {
                        measure(network, flaws, name(folder), photographs(folder));
                    }
                }
            }
            List<Path> shuffled = new ArrayList<>(files);
            Collections.shuffle(shuffled, new Random(1));
            int surfaces = 0;
            for (int i = 0; i < shuffled.size() && surfaces < cut; i++) {
                Map<String, RgbImage> parts = parts(shuffled.get(i));
                if (parts.size() >= good.get(0) + heldOut) {
                    measure(network, flaws, name(shuffled.get(i)), parts);
                    surfaces++;
                }
            }
        }
        Map<String, Double> milliseconds = new LinkedHashMap<>();
        times.forEach((step, values) -> milliseconds.put(step, median(values)));
        Report report = new Report(found, drawn, milliseconds);
        report(report, writer -> print(writer, report));
        return 0;
    }

    private static String name(Path file) {
        return Objects.requireNonNull(file.getFileName()).toString();
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** The centres of photographs by name. */
    private Map<String, RgbImage> photographs(Path folder) {
        Map<String, RgbImage> images = new LinkedHashMap<>();
        for (Path file : Layouts.images(folder, note -> stderr().println(note))) {
            RgbImage image = Flaws.decoded(file);
            int length = Math.min(image.width(), image.height());
            Window centre =
                    new Window((image.width() - length) / 2, (image.height() - length) / 2, length, length, false);
            images.put(name(file), RESAMPLER.resize(image, centre, CANVAS, CANVAS));
        }
        return images;
    }

    /** A photograph as a grid of parts. */
    private Map<String, RgbImage> parts(Path file) {
        RgbImage image = Flaws.decoded(file);
        Map<String, RgbImage> parts = new LinkedHashMap<>();
        for (int y = 0; y + part <= image.height(); y += part) {
            for (int x = 0; x + part <= image.width(); x += part) {
                parts.put(x + "," + y, RESAMPLER.resize(image, new Window(x, y, part, part, false), CANVAS, CANVAS));
            }
        }
        return parts;
    }

    private void measure(Backbone network, Flaws flaws, String surface, Map<String, RgbImage> images) {
        Seed own = new Seed(1).child(surface);
        List<String> names = new ArrayList<>(images.keySet());
        Collections.shuffle(names, new Random(own.value()));
        try (Scope scope = Scope.open()) {
            List<Photo> photos = new ArrayList<>();
            for (String name : names) {
                RgbImage image = Objects.requireNonNull(images.get(name));
                photos.add(
                        photo(network, scope, object(name), "", new Flaws.Flawed(image, new boolean[CANVAS * CANVAS])));
            }
            List<String> sources = names.subList(names.size() - heldOut, names.size());
            for (Flaws.Kind kind : Flaws.Kind.values()) {
                for (int i = 0; i < flawed; i++) {
                    String name = sources.get(i % heldOut);
                    Seed flawSeed = own.child(kind.key()).child(i);
                    Flaws.Flawed flaw = flaws.add(kind, Objects.requireNonNull(images.get(name)), flawSeed);
                    photos.add(photo(network, scope, object(name), kind.key(), flaw));
                }
            }
            List<Photo> pool = photos.subList(0, names.size() - heldOut);
            List<Photo> test = photos.subList(names.size() - heldOut, photos.size());
            compare(surface, own, pool, test);
            for (int draw = 0; draw < draws; draw++) {
                Random random = new Random(own.child("draw").child(draw).value());
                for (int count : good) {
                    if (count < names.size() - heldOut) {
                        draw(surface, count, pool, test, random);
                    }
                }
                if (group != null) {
                    drawObjects(surface, photos, random);
                }
            }
        }
        stderr().println(surface);
    }

    private String object(String name) {
        if (group == null) {
            return name;
        }
        Matcher matcher = group.matcher(name);
        if (!matcher.find()) {
            throw new IllegalArgumentException("--group does not match the file name " + name);
        }
        return matcher.group(1);
    }

    private Photo photo(Backbone network, Scope scope, String object, String kind, Flaws.Flawed flaw) {
        boolean[] mask = new boolean[JUDGED * JUDGED];
        for (int i = 0; i < mask.length; i++) {
            mask[i] = flaw.mask()[i / JUDGED * 2 * CANVAS + i % JUDGED * 2];
        }
        List<Tensor> maps = new ArrayList<>();
        try (Scope step = Scope.open()) {
            float[] values = new float[3 * side * side];
            network.normalisation().write(RESAMPLER.resize(flaw.image(), side, side), ChannelOrder.FIRST, values, 0);
            Tensor image = torch.tensor(values).reshape(1, 3, side, side);
            Map<String, Tensor> features = timed("backbone", () -> network.features(image, taps));
            for (String tap : taps) {
                Tensor half =
                        Objects.requireNonNull(features.get(tap)).contiguous().to(ScalarType.Half);
                maps.add(scope.promote(step.promote(half)));
            }
        }
        return new Photo(object, kind, mask, maps);
    }

    /** Processor time of this thread: other programs on the machine do not count. */
    private <T> T timed(String step, Supplier<T> work) {
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        T result = work.get();
        long end = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        times.computeIfAbsent(step, name -> new ArrayList<>()).add((end - start) / 1e6);
        return result;
    }

    private void compare(String surface, Seed own, List<Photo> pool, List<Photo> test) {
        for (int count : good) {
            if (count <= pool.size()) {
                Surface fitted =
                        fit(pool.subList(0, count), IntStream.range(0, count).toArray());
                judge(surface, OURS, count, test, maps -> map(fitted, maps));
            }
        }
        if (rivals > 0 && rivals <= pool.size()) {
            try (Scope scope = Scope.open()) {
                List<Tensor> cells = pool.subList(0, rivals).stream()
                        .map(photo -> Surface.cells(photo.features()))
                        .toList();
                try (DefectRivals.Fitted padim = DefectRivals.Padim.fit(cells, own)) {
                    judge(surface, "PaDiM", rivals, test, padim);
                }
                Tensor all = torch.cat(new TensorVector(cells.toArray(Tensor[]::new)), 0);
                List<DefectRivals.PatchCore> cores = DefectRivals.PatchCore.fit(all, own, 0.01, 0.1);
                judge(surface, "PatchCore 1 %", rivals, test, cores.get(0));
                judge(surface, "PatchCore 10 %", rivals, test, cores.get(1));
                cores.forEach(DefectRivals.PatchCore::close);
            }
        }
    }

    private static Tensor map(Surface surface, List<Tensor> maps) {
        return surface.scores(IntStream.range(0, maps.size())
                .mapToObj(tap -> surface.reduce(tap, maps.get(tap)))
                .toList());
    }

    private Surface fit(List<Photo> photos, int[] groups) {
        List<Integer> channels = photos.get(0).maps().stream()
                .map(map -> Math.toIntExact(map.size(1)))
                .toList();
        SurfaceFit fit = new SurfaceFit(taps, channels);
        try (Scope scope = Scope.open()) {
            List<List<Tensor>> reduced = photos.stream()
                    .map(photo -> IntStream.range(0, taps.size())
                            .mapToObj(tap -> fit.reduce(tap, photo.features().get(tap)))
                            .toList())
                    .toList();
            return fit.fit(
                    new SurfaceFit.Photographs() {
                        @Override
                        public int count() {
                            return photos.size();
                        }

                        @Override
                        public List<Tensor> reduced(int photograph) {
                            return reduced.get(photograph);
                        }
                    },
                    groups);
        }
    }

    private void judge(String surface, String method, int count, List<Photo> test, DefectRivals.Fitted fitted) {
        Map<Photo, float[]> pixels = new LinkedHashMap<>();
        Map<Photo, Float> scores = new LinkedHashMap<>();
        for (Photo photo : test) {
            try (Scope scope = Scope.open()) {
                List<Tensor> features = photo.features();
                Tensor map = timed(method + ", " + count + " good", () -> fitted.map(features));
                float[] cells = HostCopy.floats(map);
                float largest = (float) IntStream.range(0, cells.length)
                        .mapToDouble(i -> cells[i])
                        .max()
                        .orElseThrow();
                scores.put(photo, method.equals(OURS) ? Calibration.photoScore(cells) : largest);
                pixels.put(
                        photo,
                        HostCopy.floats(torch.upsample_bilinear2d(
                                map.unsqueeze(0).unsqueeze(0),
                                new long[] {JUDGED, JUDGED},
                                false,
                                new DoubleOptional(),
                                new DoubleOptional())));
            }
        }
        for (Flaws.Kind kind : Flaws.Kind.values()) {
            List<float[]> marked = new ArrayList<>();
            List<float[]> rest = new ArrayList<>();
            pixels.forEach((photo, values) -> {
                if (photo.isGood() || photo.kind().equals(kind.key())) {
                    rest.add(select(values, photo.mask(), false));
                }
                if (photo.kind().equals(kind.key())) {
                    marked.add(select(values, photo.mask(), true));
                }
            });
            float[] goodPixels = joined(rest);
            found.add(new Found(
                    surface,
                    method,
                    count,
                    kind.key(),
                    DefectRivals.auroc(joined(marked), goodPixels),
                    DefectRivals.aupro(marked, goodPixels),
                    DefectRivals.auroc(of(scores, kind.key()), of(scores, ""))));
        }
    }

    private static float[] of(Map<Photo, Float> scores, String kind) {
        List<float[]> values = new ArrayList<>();
        scores.forEach((photo, score) -> {
            if (photo.kind().equals(kind)) {
                values.add(new float[] {score});
            }
        });
        return joined(values);
    }

    private static float[] select(float[] values, boolean[] mask, boolean wanted) {
        float[] selected = new float[values.length];
        int count = 0;
        for (int i = 0; i < values.length; i++) {
            if (mask[i] == wanted) {
                selected[count++] = values[i];
            }
        }
        return Arrays.copyOf(selected, count);
    }

    private static float[] joined(List<float[]> arrays) {
        float[] all = new float[arrays.stream().mapToInt(array -> array.length).sum()];
        int end = 0;
        for (float[] array : arrays) {
            System.arraycopy(array, 0, all, end, array.length);
            end += array.length;
        }
        return all;
    }

    /** Good photographs at random; those that remain, and the held-out ones, raise false alarms or not. */
    private void draw(String surface, int count, List<Photo> pool, List<Photo> test, Random random) {
        List<Photo> shuffled = new ArrayList<>(pool);
        Collections.shuffle(shuffled, random);
        List<Photo> others = new ArrayList<>(shuffled.subList(count, shuffled.size()));
        others.addAll(test.stream().filter(Photo::isGood).toList());
        List<Photo> flawedOnes =
                new ArrayList<>(test.stream().filter(photo -> !photo.isGood()).toList());
        alarms(surface, shuffled.subList(0, count), false, others, flawedOnes, random);
    }

    /** All objects but a random one: good photographs of that one raise false alarms or not. */
    private void drawObjects(String surface, List<Photo> photos, Random random) {
        List<String> objects =
                photos.stream().map(Photo::object).distinct().sorted().toList();
        String left = objects.get(random.nextInt(objects.size()));
        List<Photo> known = new ArrayList<>();
        List<Photo> others = new ArrayList<>();
        List<Photo> flawedOnes = new ArrayList<>();
        for (Photo photo : photos) {
            (photo.object().equals(left) ? photo.isGood() ? others : flawedOnes : known).add(photo);
        }
        List<Photo> chosen =
                new ArrayList<>(known.stream().filter(Photo::isGood).toList());
        Collections.shuffle(chosen, random);
        int most = Collections.max(good);
        alarms(surface, chosen.subList(0, Math.min(most, chosen.size())), true, others, flawedOnes, random);
    }

    /** Ten photographs of each sort are scored. */
    private void alarms(
            String surface,
            List<Photo> known,
            boolean objects,
            List<Photo> others,
            List<Photo> flawedOnes,
            Random random) {
        int[] groups = IntStream.range(0, known.size())
                .map(i -> objects ? known.get(i).object().hashCode() : i)
                .toArray();
        Surface fitted = fit(known, groups);
        double[] goodScores = scores(fitted, others, random);
        double[] flawScores = scores(fitted, flawedOnes, random);
        for (double level : goodScores.length > 0 ? LEVELS : List.<Double>of()) {
            if (level * (1 + fitted.parts().calibration().objects()) > 1 - 1e-9) {
                drawn.add(new Draw(
                        surface,
                        known.size(),
                        objects,
                        level,
                        alarms(fitted, goodScores, level),
                        flawScores.length > 0 ? alarms(fitted, flawScores, level) : null));
            }
        }
    }

    private static double[] scores(Surface surface, List<Photo> photos, Random random) {
        List<Photo> shuffled = new ArrayList<>(photos);
        Collections.shuffle(shuffled, random);
        return shuffled.stream()
                .limit(10)
                .mapToDouble(photo -> {
                    try (Scope scope = Scope.open()) {
                        return Calibration.photoScore(HostCopy.floats(map(surface, photo.features())));
                    }
                })
                .toArray();
    }

    private static double alarms(Surface surface, double[] scores, double level) {
        return DoubleStream.of(scores)
                .map(score -> surface.parts().calibration().pValue(score) <= level + 1e-9 ? 1 : 0)
                .average()
                .orElseThrow();
    }

    private static void print(PrintWriter writer, Report report) {
        Map<String, List<Found>> methods = new LinkedHashMap<>();
        for (Found one : report.found()) {
            String title = one.method() + ", " + one.good() + " good";
            methods.computeIfAbsent(title + ", all", key -> new ArrayList<>()).add(one);
            methods.computeIfAbsent(title + ", " + one.kind(), key -> new ArrayList<>())
                    .add(one);
        }
        writer.println(
                Text.format("%-44s %8s %8s %8s", "AUROC of pixels, AUPRO, AUROC of images", "pixel", "pro", "image"));
        methods.forEach((title, rows) -> writer.println(Text.format(
                "%-44s %8.3f %8.3f %8.3f",
                title,
                rows.stream().mapToDouble(Found::pixel).average().orElseThrow(),
                rows.stream().mapToDouble(Found::pro).average().orElseThrow(),
                rows.stream().mapToDouble(Found::image).average().orElseThrow())));
        Map<String, List<Draw>> levels = new LinkedHashMap<>();
        for (Draw draw : report.draws()) {
            String title = (draw.objects() ? "by objects" : draw.good() + " good") + ", at most " + draw.level();
            levels.computeIfAbsent(title, key -> new ArrayList<>()).add(draw);
        }
        levels.forEach((title, rows) -> {
            line(writer, Text.format("%-30s false alarms", title), rows, Draw::falseAlarms);
            List<Double> shares = rows.stream()
                    .flatMap(draw -> Stream.ofNullable(draw.found()))
                    .toList();
            if (!shares.isEmpty()) {
                line(writer, Text.format("%-30s flaws found ", title), shares, Double::doubleValue);
            }
        });
        report.milliseconds()
                .forEach((step, value) -> writer.println(Text.format("%-44s %8.1f ms per photograph", step, value)));
    }
}
