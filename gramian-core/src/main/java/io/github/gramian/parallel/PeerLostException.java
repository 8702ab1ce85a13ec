package io.github.gramian.parallel;

/** Another process of the world died, fell silent, or never came. */
public final class PeerLostException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private PeerLostException(String message, Throwable cause) {
        super(message, cause);
    }

    /** In the middle of the work. */
    static PeerLostException during(World world, RuntimeException cause) {
        return new PeerLostException(
                "process " + world.rank() + " of " + world.size() + " has lost another one (" + reason(cause)
                        + "); see what that one said, then start all of them again with the same commands: the training"
                        + " goes on from its last checkpoint",
                cause);
    }

    /** Before the work began. */
    static PeerLostException atStart(World world, RuntimeException cause) {
        String advice = world.meeting() instanceof Meeting.InFile
                ? "did all " + world.size() + " processes start on this machine, with a file that is new?"
                : world.leads()
                        ? "is the port free on this machine, and did all " + world.size() + " processes start?"
                        : "is rank 0 running there, and does a firewall let its ports through?";
        return new PeerLostException(
                "process " + world.rank() + " of " + world.size() + " could not meet the others at " + world.meeting()
                        + " (" + reason(cause) + "); " + advice,
                cause);
    }

    /** The first line of what the engine says, without the place in its source. */
    private static String reason(RuntimeException cause) {
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return message.lines().findFirst().orElse("").replaceFirst("^\\[[^\\]]*\\]\\s*", "");
    }
}
