"""The judge `openai` of study A: a vision model behind any OpenAI-compatible chat endpoint, paid or one's own."""

from resources.configuration.fidelity import RubricWeights
from resources.configuration.openai_judge import OpenAIJudge as Configuration
from resources.judges.appearance import Appearance
from resources.judges.openai.access import Access
from resources.judges.openai.chat_judge import ChatJudge


class OpenAIJudge(ChatJudge):
    """Looks at the images of one object and scores its appearance."""

    def __init__(self, configuration: Configuration, weights: RubricWeights, access: Access) -> None:
        super().__init__(configuration, Appearance(configuration, weights), access)
