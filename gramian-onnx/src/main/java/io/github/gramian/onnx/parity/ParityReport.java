package io.github.gramian.onnx.parity;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * How far an exported file is from the model it was made of.
 *
 * @param toFloat against the model in float
 * @param toDouble against the model in double
 * @param ofScores whether it is a model of good parts: differences are those of scores, relative to them, instead of those of
 *     probabilities
 * @param images that were compared
 * @param rejected files that are not images
 * @param bytes of the exported file, with its data
 * @param opset the version of ONNX's operators
 */
@JsonPropertyOrder({"maxProbabilityDifference", "meanProbabilityDifference", "topAgreement", "images", "bytes", "opset"
})
public record ParityReport(
        @JsonIgnore Difference toFloat,
        @JsonIgnore Difference toDouble,
        @JsonIgnore boolean ofScores,
        @JsonProperty int images,
        @JsonIgnore int rejected,
        @JsonProperty long bytes,
        @JsonProperty int opset) {

    /**
     * The distance of two engines' probabilities, or of their scores of cells and photographs.
     *
     * @param max the largest of all images and classes, or cells
     * @param mean over all images and classes, or cells
     * @param topAgreement fraction of images with the same most probable class
     */
    public record Difference(double max, double mean, double topAgreement) {}

    /** Zero for a model of good parts, which has no probabilities. */
    @JsonProperty
    public double maxProbabilityDifference() {
        return ofScores ? 0 : toFloat.max();
    }

    /** Zero for a model of good parts, which has no probabilities. */
    @JsonProperty
    public double meanProbabilityDifference() {
        return ofScores ? 0 : toFloat.mean();
    }

    /** Relative to the score; zero for a model of classes, which has none. */
    @JsonProperty
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public double maxScoreDifference() {
        return ofScores ? toFloat.max() : 0;
    }

    @JsonProperty
    public double topAgreement() {
        return toFloat.topAgreement();
    }

    /** Whether no probability or score differs by more and no image has another class. */
    public boolean within(double tolerance) {
        return toFloat.max() <= tolerance && toFloat.topAgreement() == 1;
    }
}
