package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.WhereOverlay;
import io.github.gramian.dense.internal.Calibration;
import io.github.gramian.dense.internal.ClassMap;
import io.github.gramian.dense.internal.PhotoReader.PhotoMap;
import io.github.gramian.image.codec.RgbImage;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;
import java.awt.image.DataBufferUShort;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The map of a photograph as pictures: a coloured layer for people, and values for other programs.
 *
 * @param picture the photograph as it was decoded
 * @param map of the photograph
 * @param classes number of classes of the model
 * @param level p-value below which a place is unknown
 */
public record MapPicture(RgbImage picture, PhotoMap map, int classes, double level) {

    /** The value of unknown places in a map of classes. */
    public static final int UNKNOWN = 255;

    /** What a value of a map of scores is divided by. */
    public static final int SCORE_UNITS = 1000;

    private static final int LONGER_SIDE = 1600;
    private static final double OPACITY = 0.55;

    /** The score, in multiples of the median cell, that has the strongest colour. */
    private static final double STRONGEST = 4;

    /** Scores below this share of the strongest are those of good parts, and are not painted. */
    private static final double FAINTEST = 0.15;

    /** Okabe and Ito's colours, which can be told apart with any colour vision; more classes get other lightness. */
    private static final int[] COLOURS = {0x0072B2, 0xE69F00, 0x009E73, 0xCC79A7, 0xD55E00, 0x56B4E9, 0xF0E442};

    private static final int UNKNOWN_COLOUR = 0x3C3C3C;

    /**
     * A class on the photograph, or the unknown places.
     *
     * @param colour as CSS and SVG write it
     * @param share of the photograph
     */
    public record Area(String name, String colour, double share) {}

    /**
     * The classes on the photograph, the largest first; none for a model of good parts.
     *
     * @param labels names of the classes
     */
    public List<Area> areas(List<String> labels) {
        double[] shares = map.classes().map(cells -> cells.shares(level)).orElse(new double[0]);
        return IntStream.range(0, shares.length)
                .filter(index -> shares[index] > 0)
                .mapToObj(index -> new Area(
                        index == classes ? "unknown" : labels.get(index),
                        String.format(Locale.ROOT, "#%06x", colourOf(index)),
                        shares[index]))
                .sorted(Comparator.comparingDouble(Area::share).reversed())
                .toList();
    }

    private static int rgb(int index) {
        int base = COLOURS[index % COLOURS.length];
        int darker = index / COLOURS.length;
        double light = Math.pow(0.72, darker);
        int mixed = 0;
        for (int shift = 16; shift >= 0; shift -= 8) {
            mixed = mixed << 8 | (int) Math.round(light * (base >> shift & 0xFF));
        }
        return mixed;
    }

    /**
     * Adds the members of an answer in JSON: the share of each class, or the judgement with all regions.
     *
     * @param labels names of the classes
     */
    public void addTo(Map<String, Object> answer, List<String> labels) {
        map.classes().ifPresent(cells -> {
            double[] shares = cells.shares(level);
            Map<String, Object> areas = new LinkedHashMap<>();
            for (int index = 0; index < labels.size(); index++) {
                areas.put(labels.get(index), shares[index]);
            }
            answer.put("columns", cells.width());
            answer.put("rows", cells.height());
            answer.put("areas", areas);
            answer.put("unknown", shares[labels.size()]);
        });
        map.scores().ifPresent(scores -> {
            answer.put("class", scores.isDefect() ? "defect" : "good");
            answer.put("novelty", scores.pValue());
            answer.put("score", scores.photograph());
            answer.put("regions", map.regions());
        });
    }

    /** The photograph for a page. */
    public String photograph() {
        return Thumbnails.dataAddress(shown(), "jpeg");
    }

    /** The coloured layer for a page, in the same proportions. */
    public String layer() {
        BufferedImage photograph = shown();
        return Thumbnails.dataAddress(layer(photograph.getWidth(), photograph.getHeight()), "png");
    }

    /** The photograph with the layer over it, as the bytes of a PNG. */
    public byte[] overlaid() {
        BufferedImage mixed = shown();
        BufferedImage layer = layer(mixed.getWidth(), mixed.getHeight());
        for (int y = 0; y < mixed.getHeight(); y++) {
            for (int x = 0; x < mixed.getWidth(); x++) {
                int over = layer.getRGB(x, y);
                double share = OPACITY * (over >>> 24) / 255.0;
                mixed.setRGB(x, y, mixed(mixed.getRGB(x, y), over, share));
            }
        }
        return png(mixed);
    }

    private static int mixed(int under, int over, double share) {
        int mixed = 0;
        for (int shift = 16; shift >= 0; shift -= 8) {
            double value = (1 - share) * (under >> shift & 0xFF) + share * (over >> shift & 0xFF);
            mixed = mixed << 8 | (int) Math.round(value);
        }
        return mixed;
    }

    private BufferedImage shown() {
        BufferedImage raster = Thumbnails.raster(picture);
        return Math.max(raster.getWidth(), raster.getHeight()) <= LONGER_SIDE
                ? raster
                : Thumbnails.reduced(raster, LONGER_SIDE);
    }

    /** Classes as colours; scores as transparent to bright. */
    private BufferedImage layer(int width, int height) {
        BufferedImage layer = new BufferedImage(width, height, BufferedImage.TYPE_INT_ARGB);
        int[] labels = map.classes().map(cells -> cells.labels(level)).orElse(new int[0]);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                layer.setRGB(
                        x,
                        y,
                        map.classes().isPresent()
                                ? 0xFF000000 | colourOf(labels[cell(x, y, width, height)])
                                : heat(cell(x, y, width, height)));
            }
        }
        return layer;
    }

    private int colourOf(int label) {
        return label == classes ? UNKNOWN_COLOUR : rgb(label);
    }

    private int heat(int cell) {
        Calibration.Scores scores = map.scores().orElseThrow();
        double above = (scores.map()[cell] / scores.median() - 1) / (STRONGEST - 1);
        double value = Math.max(0, Math.min(1, above));
        double cover = Math.max(0, Math.min(1, (value - FAINTEST) / (0.5 - FAINTEST)));
        return (int) Math.round(255 * cover) << 24 | WhereOverlay.colour(value);
    }

    /** Index of the cell that a pixel of a picture of this size belongs to. */
    private int cell(int x, int y, int width, int height) {
        int columns = map.classes()
                .map(ClassMap.Cells::width)
                .orElseGet(() -> map.scores().orElseThrow().width());
        int rows = map.classes()
                .map(ClassMap.Cells::height)
                .orElseGet(() -> map.scores().orElseThrow().height());
        int column = map.grid().cell((x + 0.5) * map.width() / width - 0.5, columns);
        int row = map.grid().cell((y + 0.5) * map.height() / height - 0.5, rows);
        return row * columns + column;
    }

    /** One byte per pixel of the photograph: the index of its class, or {@link #UNKNOWN}. */
    public byte[] labels(int width, int height) {
        int[] labels = map.classes().orElseThrow().labels(level);
        BufferedImage raster = new BufferedImage(width, height, BufferedImage.TYPE_BYTE_GRAY);
        byte[] values = ((DataBufferByte) raster.getRaster().getDataBuffer()).getData();
        for (int i = 0; i < values.length; i++) {
            int label = labels[cell(i % width, i / width, width, height)];
            values[i] = (byte) (label == classes ? UNKNOWN : label);
        }
        return png(raster);
    }

    /** Two bytes per pixel of the photograph: {@value #SCORE_UNITS} times the score. */
    public byte[] scores(int width, int height) {
        float[] scores = map.scores().orElseThrow().map();
        BufferedImage raster = new BufferedImage(width, height, BufferedImage.TYPE_USHORT_GRAY);
        short[] values = ((DataBufferUShort) raster.getRaster().getDataBuffer()).getData();
        for (int i = 0; i < values.length; i++) {
            float score = scores[cell(i % width, i / width, width, height)];
            values[i] = (short) Math.min(65_535, Math.round(SCORE_UNITS * score));
        }
        return png(raster);
    }

    private static byte[] png(BufferedImage raster) {
        return Thumbnails.encoded(raster, "png")
                .orElseThrow(() -> new IllegalStateException("the JDK cannot write PNG files"));
    }
}
