//! Those who run models, and what agents use beside them.

use super::{Before, Look, Shape, key, shape, word};

pub(super) static MODELS: [Shape; 28] = [
    key("anthropic", &["sk-ant-"], r"sk-ant-[a-z0-9]{2,12}-[A-Za-z0-9_-]{32,}"),
    key(
        "openai",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        r"sk-[a-zA-Z]{4,8}-[A-Za-z0-9_-]{32,}",
    ),
    key("openrouter", &["sk-or-v1-"], r"sk-or-v1-[0-9a-f]{48,}"),
    key("langsmith", &["lsv2_"], r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    word("openai", &["sk-"], r"sk-[A-Za-z0-9]{32,}"),
    word("huggingface", &["hf_", "api_org_"], r"(?:hf_|api_org_)[A-Za-z0-9]{30,}"),
    // Those that are given out now are letters alone.
    shape(
        "huggingface",
        &["hf_", "api_org_"],
        Before::WordStart,
        Look::Any,
        r"(?:hf_|api_org_)[A-Za-z]{34}\b",
    ),
    word("groq", &["gsk_"], r"gsk_[A-Za-z0-9]{40,}"),
    word("xai", &["xai-"], r"xai-[A-Za-z0-9]{60,}"),
    word("perplexity", &["pplx-"], r"pplx-[A-Za-z0-9]{40,}"),
    word("replicate", &["r8_"], r"r8_[A-Za-z0-9]{32,}"),
    word("fireworks", &["fw_"], r"fw_[A-Za-z0-9]{22,}"),
    word("nvidia", &["nvapi-"], r"nvapi-[A-Za-z0-9_-]{48,}"),
    word("tavily", &["tvly-"], r"tvly-(?:[a-z]{2,5}-)?[A-Za-z0-9]{24,}"),
    word("cerebras", &["csk-"], r"csk-[a-z0-9]{40,}"),
    key("langfuse", &["sk-lf-"], r"sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    key("helicone", &["sk-helicone-"], r"sk-helicone-(?:[a-z]{2,4}-)?[a-z0-9-]{20,}"),
    key("pinecone", &["pcsk_"], r"pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{40,}"),
    key("together", &["tgp_v1_"], r"tgp_v1_[A-Za-z0-9_-]{40,}"),
    word("elevenlabs", &["sk_"], r"sk_[a-f0-9]{48}\b"),
    word("jina", &["jina_"], r"jina_[a-f0-9]{32}[A-Za-z0-9_-]{20,}"),
    word("firecrawl", &["fc-"], r"fc-[a-f0-9]{32}\b"),
    shape("voyage", &["pa-"], Before::WordStart, Look::Random, r"pa-[A-Za-z0-9_-]{43}\b"),
    word("e2b", &["e2b_"], r"e2b_[a-f0-9]{40}"),
    shape("anyscale", &["secret_"], Before::Bytes(1), Look::Mixed, r"esecret_[a-z0-9]{24,}"),
    word("cursor", &["key_"], r"key_[a-f0-9]{64}\b"),
    word("apify", &["apify_api_"], r"apify_api_[A-Za-z0-9]{36}"),
    word("browserbase", &["bb_live_"], r"bb_live_[A-Za-z0-9_-]{24,}"),
];
