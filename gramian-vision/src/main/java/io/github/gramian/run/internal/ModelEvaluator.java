package io.github.gramian.run.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.internal.ContentHash.Twins;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.internal.Robustness;
import io.github.gramian.image.Crop;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.ModelDescription;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Evaluates a saved model on labelled images, whose classes are matched with the model's by name. */
public final class ModelEvaluator {

    private final BatchPredictor predictor;
    private final Settings settings;

    public ModelEvaluator(BatchPredictor predictor, Settings settings) {
        this.settings = settings;
        this.predictor = predictor;
    }

    /** Which images of a dataset. */
    public enum Part {
        TRAIN,
        VAL,
        TEST,
        ALL,
        /** Without the images that training has used. */
        NEW;

        /** Its name in files. */
        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        List<Sample> samples(Dataset dataset) {
            return switch (this) {
                case TRAIN -> dataset.samples(Split.TRAIN);
                case VAL -> dataset.samples(Split.VALIDATION);
                case TEST -> dataset.samples(Split.TEST);
                case ALL, NEW -> dataset.samples();
            };
        }

        /** The default part of other images: their own test images. A random split would leave out most images for nothing. */
        public static Part ofOther(Dataset dataset) {
            DividedDataset divided = DividedDataset.of(dataset);
            return divided.protocol().rule().random(divided.listing()) ? NEW : TEST;
        }
    }

    /**
     * What to evaluate.
     *
     * @param part which images
     * @param crop what is cut from an image; null for what the model was trained with
     * @param batch images at once
     * @param withoutTwins whether to leave out test images whose bytes equal an image that training has used
     */
    public record Settings(Part part, @Nullable Crop crop, int batch, boolean withoutTwins) {
        public Settings {
            if (withoutTwins && part != Part.TEST) {
                throw new IllegalArgumentException("--without-twins leaves out test images, but --on is " + part.key()
                        + "; remove one of the two options");
            }
        }
    }

    /**
     * The result.
     *
     * @param evaluation of the images that could be read
     * @param rejected files that could not, and why
     * @param leftOut images that were left out because training has used an image with the same bytes
     * @param warnings about what the scores do not mean
     * @param total number of all images of the dataset
     * @param unknown images that are called unknown; only for a model of one class, which has no other score
     */
    public record Result(
            ModelEvaluation evaluation,
            Map<String, String> rejected,
            List<String> leftOut,
            List<String> warnings,
            int total,
            Optional<CalledUnknown> unknown) {}

    public int count(Dataset dataset) {
        return settings.part.samples(dataset).size();
    }

    /**
     * Evaluates all images of the part.
     *
     * @param progress is called with the number of images done
     * @throws IllegalArgumentException if the model has no class of an image's name
     */
    public Result run(Dataset dataset, IntConsumer progress) {
        List<Sample> all = settings.part.samples(dataset);
        if (all.isEmpty()) {
            throw new DatasetException(dataset.root() + " has no " + settings.part.key()
                    + " images; choose others with --on, or all of them with --on all");
        }
        int threads = Runtime.getRuntime().availableProcessors();
        List<Optional<String>> sums = ContentHash.sums(dataset, threads, ContentHash.Progress.silent());
        Set<String> learned = learned(dataset, sums);
        List<Sample> samples =
                all.stream().filter(sample -> !learned.contains(sample.path())).toList();
        List<String> leftOut =
                all.stream().map(Sample::path).filter(learned::contains).toList();
        if (samples.isEmpty()) {
            throw new DatasetException("training has used all " + Text.count(all.size(), "image")
                    + ", so none is left; evaluate other images, or the test images of the model's own split");
        }
        int[] labels = labels(dataset, samples);
        List<Path> files = samples.stream().map(dataset::file).toList();
        List<Prediction> answers = answers(files, done -> progress.accept(leftOut.size() + done));
        List<Prediction> predictions = new ArrayList<>();
        Map<String, String> rejected = new LinkedHashMap<>();
        for (int i = 0; i < samples.size(); i++) {
            Prediction answer = answers.get(i).withImage(samples.get(i).path());
            if (answer.rejection().isEmpty()) {
                predictions.add(answer.withTruth(labels[i]));
            } else {
                rejected.put(answer.image(), answer.rejection().get());
            }
        }
        if (predictions.isEmpty()) {
            throw new DatasetException("none of " + Text.count(samples.size(), "image") + " can be read; the first, "
                    + samples.get(0).path() + ": " + rejected.get(samples.get(0).path()));
        }
        ContentHash hash = ContentHash.of(DividedDataset.of(dataset).listing(), sums);
        ModelEvaluation evaluation = ModelEvaluation.of(
                settings.part.key(),
                dataset,
                predictions,
                predictor.classes(),
                protocol(dataset, hash, samples.size()),
                predictor.descriptorLength());
        return new Result(
                evaluation,
                rejected,
                leftOut,
                warnings(dataset, sums, predictions),
                dataset.samples().size(),
                predictor.classes().size() == 1
                        ? CalledUnknown.of(predictions, predictor.reference().novelty())
                        : Optional.empty());
    }

    /** Paths of the images to leave out: those that training has used, and twins of the dataset's training images. */
    private Set<String> learned(Dataset dataset, List<Optional<String>> sums) {
        if (!settings.withoutTwins && settings.part != Part.NEW) {
            return Set.of();
        }
        Set<String> learned = known(dataset, sums);
        if (settings.withoutTwins) {
            learned.addAll(Twins.of(dataset, sums).paths());
        }
        return learned;
    }

    private List<Prediction> answers(List<Path> files, IntConsumer progress) {
        if (settings.crop == null) {
            return answers(predictor, files, progress);
        }
        try (BatchPredictor cropping = predictor.withCrops(List.of(settings.crop))) {
            return answers(cropping, files, progress);
        }
    }

    private List<Prediction> answers(BatchPredictor by, List<Path> files, IntConsumer progress) {
        List<Prediction> answers = new ArrayList<>();
        by.predict(files, LoaderSettings.defaults(settings.batch), answer -> {
            answers.add(answer);
            progress.accept(answers.size());
        });
        return answers;
    }

    /** The model's number of each sample's class. */
    private int[] labels(Dataset dataset, List<Sample> samples) {
        List<String> known = predictor.classes();
        int[] labels = new int[samples.size()];
        if (known.size() == 1 && Layouts.isFlat(dataset)) {
            return labels;
        }
        for (int i = 0; i < labels.length; i++) {
            String name = dataset.classes().get(samples.get(i).label());
            labels[i] = known.indexOf(name);
            if (labels[i] < 0) {
                throw new IllegalArgumentException("the images have a class '" + name
                        + "' and the model does not; the model has " + shortened(known)
                        + "; rename the class, or evaluate a model that was trained on these classes");
            }
        }
        return labels;
    }

    private static String shortened(List<String> names) {
        int most = 10;
        return names.size() <= most
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, most)) + " and " + (names.size() - most) + " more";
    }

    /** The dataset's evaluation protocol, completed with the model's resolution and crops. */
    private EvaluationProtocol protocol(Dataset dataset, ContentHash hash, int images) {
        ModelDescription model = predictor.description();
        Optional<EvaluationProtocol> trained = model.protocol();
        String crops = trained.map(EvaluationProtocol::crops)
                .orElse(model.preprocessing().get(0).identity());
        EvaluationProtocol data = DividedDataset.of(dataset).evaluationProtocol(hash);
        EvaluationProtocol complete = data.withViews(
                        model.network().largestSize(),
                        settings.crop == null ? crops : crops + "; evaluated on " + settings.crop.key())
                .withBackbone(
                        trained.map(EvaluationProtocol::backbone)
                                .orElse(model.backbone().name() + " "
                                        + model.network().key()),
                        model.backbone().weightsHash())
                .withHardware(predictor.engine());
        String split = complete.split();
        if (settings.part == Part.NEW) {
            return onImages(complete, "all that training has not used", "none", Map.of(Part.NEW.key(), images));
        }
        if (settings.withoutTwins) {
            Map<String, Integer> counts = new LinkedHashMap<>(complete.counts());
            counts.put(Part.TEST.key(), images);
            return onImages(complete, complete.protocol(), split + ", without twins", counts);
        }
        if (settings.part == Part.TEST) {
            return complete;
        }
        return onImages(complete, complete.protocol(), split + ", scored on " + settings.part.key(), complete.counts());
    }

    /** Scores on other images than all test images are scores under another protocol. */
    private static EvaluationProtocol onImages(
            EvaluationProtocol data, String protocol, String split, Map<String, Integer> counts) {
        return new EvaluationProtocol(
                data.dataset(),
                data.contentHash(),
                protocol,
                split,
                counts,
                data.resolution(),
                data.crops(),
                data.backbone(),
                data.weightsHash(),
                data.seed(),
                data.hardware());
    }

    /** Warns about images that the model's training has used: scores on them are too optimistic. */
    private List<String> warnings(Dataset dataset, List<Optional<String>> sums, List<Prediction> predictions) {
        if (settings.part == Part.NEW && predictor.knownImages().count() == 0) {
            return List.of("the model does not list the images of its training, so they cannot be left out");
        }
        Set<String> known = known(dataset, sums);
        long used =
                predictions.stream().filter(one -> known.contains(one.image())).count();
        return used == 0
                ? List.of()
                : List.of("the model's training has used " + used + " of these "
                        + Text.count(predictions.size(), "image")
                        + ", for training or validation, so the scores are not those of new images; evaluate on the test"
                        + " images of the model's own split, or leave these images out with --on new");
    }

    /** Paths of all images whose contents the model's training has used. */
    private Set<String> known(Dataset dataset, List<Optional<String>> sums) {
        Set<String> known = new HashSet<>();
        for (int i = 0; i < sums.size(); i++) {
            if (sums.get(i).filter(predictor.knownImages()::contains).isPresent()) {
                known.add(dataset.samples().get(i).path());
            }
        }
        return known;
    }

    /**
     * Evaluates the model on corrupted copies of the images: corrupts the views of each, after resizing and before normalisation.
     *
     * @param clean the evaluation of the clean images
     * @param progress is called with the number of corrupted images done
     */
    public Robustness robustness(
            Dataset dataset, ModelEvaluation clean, List<Corruption> corruptions, IntConsumer progress) {
        Map<String, Sample> samples =
                dataset.samples().stream().collect(Collectors.toMap(Sample::path, Function.identity()));
        List<Prediction> truths = clean.predictions();
        List<Path> files = new ArrayList<>();
        for (Prediction truth : truths) {
            Sample sample = samples.get(truth.image());
            if (sample == null) {
                throw new IllegalArgumentException(truth.image() + " is not an image of " + dataset.root());
            }
            files.add(dataset.file(sample));
        }
        List<Robustness.Cell> cells = new ArrayList<>();
        for (Corruption corruption : corruptions) {
            int done = cells.size() * files.size();
            double accuracy = accuracy(truths, files, corruption, count -> progress.accept(done + count));
            cells.add(new Robustness.Cell(corruption.type().key(), corruption.severity(), accuracy));
        }
        return new Robustness(files.size(), clean.scores().accuracy(), cells);
    }

    /** An image for which the network has no answer is not correct. */
    private double accuracy(List<Prediction> truths, List<Path> files, Corruption corruption, IntConsumer progress) {
        List<Prediction> answers = new ArrayList<>();
        try (BatchPredictor corrupting = predictor.withCorruption(settings.crop, corruption)) {
            corrupting.predict(files, LoaderSettings.defaults(settings.batch), answer -> {
                answers.add(answer);
                progress.accept(answers.size());
            });
        }
        int correct = 0;
        for (int i = 0; i < answers.size(); i++) {
            Prediction answer = answers.get(i);
            if (answer.rejection().isEmpty()
                    && answer.predicted() == truths.get(i).truth()) {
                correct++;
            }
        }
        return (double) correct / answers.size();
    }
}
