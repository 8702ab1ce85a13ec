package io.github.gramian.onnx;

import io.github.gramian.GramianException;

/** The exported file differs too much from its model, so it was not written. The message describes what to do. */
public final class ParityException extends GramianException {

    private static final long serialVersionUID = 1L;

    private final transient ExportReport report;

    ParityException(String message, ExportReport report) {
        super(message);
        this.report = report;
    }

    /** The measured differences. */
    public ExportReport report() {
        return report;
    }
}
